import { DEMO_MODEL } from '../../config/settings/model-provider.ts';
import type { InfoResponse } from '../../contracts/http/info-api.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { GatewayRefusedError } from '../http/gateway-failures.ts';
import { withRetries } from '../http/retry.ts';

/**
 * Asks the gateway about itself. Returns undefined if the gateway is too old to answer. Throws
 * `GatewayUnreachableError`, so that nothing is said about a gateway that does not answer, or `GatewayRefusedError`.
 */
export const readChatInfo = async ({ info, retry }: CliContext): Promise<InfoResponse | undefined> => {
  try {
    return await withRetries(retry, () => info.read());
  } catch (error) {
    if (error instanceof GatewayRefusedError && error.status === 404) return undefined;
    throw error;
  }
};

/**
 * Returns the lines for a person who begins to chat: where the gateway is and, if `info` says so, its model, workspace
 * and Temporal Web UI. `model` is the model that the person has chosen, or undefined.
 */
export const bannerLines = (
  { config }: CliContext,
  info: InfoResponse | undefined,
  model: string | undefined,
): readonly string[] => {
  const heading = `Orion at ${config.url} · project ${config.projectId}`;
  if (info === undefined) return [`${heading}. /help shows what there is.`];
  const lines = [
    `${heading} · model ${model ?? info.model}${info.model === DEMO_MODEL ? ' (built-in demo, no AI)' : ''}`,
    ...(info.workspace === null ? [] : [`workspace ${info.workspace}`]),
    ...(info.temporalUi === null ? [] : [`Temporal Web UI ${info.temporalUi}`]),
  ];
  return [...lines, '/help shows what there is.'];
};
