import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { DEMO_MODEL } from '../config/model-provider.ts';

/** Under the supervisor the end of a worker is seen at once; a shorter timeout would only punish outages. */
const SUPERVISED_HEARTBEAT_TIMEOUT_MS = 30_000;

/** What the stack started itself; undefined where the configuration names a server of its own. */
export interface Provided {
  readonly temporalAddress: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly demoModelUrl: string | undefined;
  readonly workflowBundle: string;
}

/**
 * Environment of gateways and workers: that of this process, completed by what the stack provides. A variable
 * that is set, be it by `*_FILE` or a Temporal profile, is left alone: given twice it would be refused.
 */
export const serviceEnvironment = (
  env: NodeJS.ProcessEnv,
  config: Config,
  provided: Provided,
): NodeJS.ProcessEnv => ({
  MODEL_HEARTBEAT_TIMEOUT_MS: String(SUPERVISED_HEARTBEAT_TIMEOUT_MS),
  ...env,
  ORION_WORKFLOW_BUNDLE: provided.workflowBundle,
  ...(config.live.token === undefined && { ORION_INTERNAL_TOKEN: randomBytes(24).toString('base64url') }),
  ...(provided.databaseUrl !== undefined && { DATABASE_URL: provided.databaseUrl }),
  ...(provided.temporalAddress !== undefined && {
    TEMPORAL_ADDRESS: provided.temporalAddress,
    ...(config.temporal.uiUrl !== undefined && { ORION_TEMPORAL_UI_URL: config.temporal.uiUrl }),
  }),
  ...(provided.demoModelUrl !== undefined && {
    OPENAI_BASE_URL: provided.demoModelUrl,
    ORION_MODEL: DEMO_MODEL,
    ORION_MODEL_PROVIDER: 'generic',
  }),
});
