import { readStackProcesses, type RunningStack } from '../../background/running-stacks.ts';
import { DEMO_MODEL } from '../../config/settings/model-provider.ts';
import type { InfoResponse } from '../../contracts/http/info-api.ts';
import { GatewayRefusedError, GatewayUnreachableError } from '../http/gateway-failures.ts';
import { createGatewayClient, type GatewayOptions } from '../http/gateway-client.ts';
import { createInfoClient } from '../http/info-client.ts';

/** Time in milliseconds that a gateway may take to answer `GET /api/info`. */
const MAX_WAIT_MS = 3_000;

/**
 * Returns what the gateway says about itself. Returns undefined when it does not answer in time, refuses the request,
 * or is no gateway of Orion.
 */
export const findGatewayInfo = async (gateway: GatewayOptions): Promise<InfoResponse | undefined> => {
  const signal = AbortSignal.timeout(MAX_WAIT_MS);
  try {
    return await createInfoClient(createGatewayClient(gateway)).read(signal);
  } catch (error) {
    if (error instanceof GatewayUnreachableError || error instanceof GatewayRefusedError || signal.aborted) {
      return undefined;
    }
    throw error;
  }
};

/** A running stack as `orion up` and `orion status` show it, in the fields of `--json`. */
export interface StackView {
  readonly url: string;
  readonly workspace: string;
  /** Model of the gateway. Null if `findGatewayInfo` got no response. */
  readonly model: string | null;
  readonly temporalUi: string;
  readonly logFile: string;
  readonly processes: readonly { readonly role: string; readonly pid: number }[];
}

/** Returns the view of a running stack. Asks its gateway for the model, with `apiKey` if there is one. */
export const readStackView = async (
  { url, temporalUi, paths }: RunningStack,
  apiKey: string | undefined,
): Promise<StackView> => {
  const info = await findGatewayInfo({ url, apiKey });
  const { workspace, logFile } = paths;
  return {
    url,
    workspace,
    model: info?.model ?? null,
    temporalUi,
    logFile,
    processes: readStackProcesses(paths).map(({ role, pid }) => ({ role, pid })),
  };
};

/** Returns the facts about a stack for a person, one line each. */
export const stackLines = ({
  url,
  workspace,
  model,
  temporalUi,
  logFile,
  processes,
}: StackView): readonly string[] => [
  `Orion ${model === null ? 'is being started, or does not answer, at' : 'runs at'} ${url}`,
  `  workspace        ${workspace}`,
  ...(model === null
    ? []
    : [`  model            ${model}${model === DEMO_MODEL ? ' (built-in demo, no AI)' : ''}`]),
  `  Temporal Web UI  ${temporalUi}`,
  `  processes        ${processes.map(({ role, pid }) => `${role} ${pid}`).join(', ')}`,
  `  log              ${logFile}`,
];
