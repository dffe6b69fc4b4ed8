import { join } from 'node:path';
import type { Environment } from '../config/settings/load-settings.ts';
import type { StackPaths } from './stack-paths.ts';
import type { StackPorts } from './stack-record.ts';

/**
 * Settings that name servers or places which `npm start` shares with other stacks. The stack of a workspace has its own
 * servers. Over shared servers, its workers would take the work of other workspaces.
 */
const SETTINGS_OF_OTHER_STACKS = [
  'DATABASE_URL',
  'DATABASE_URL_FILE',
  'ORION_INTERNAL_TOKEN',
  'ORION_INTERNAL_TOKEN_FILE',
  'ORION_LIVE_ADDRESS',
  'ORION_LIVE_ALLOWED_ADDRESSES',
  'ORION_METRICS_PORT',
  'ORION_SUPERVISED',
  'ORION_TEMPORAL_UI_URL',
  'ORION_WORKFLOW_BUNDLE',
  'ORION_WORKER_IDENTITY',
];

/**
 * Returns the environment for the supervisor of a workspace's stack. `env` includes the settings of the checkout's
 * `.env`.
 */
export const stackEnvironment = (
  env: Environment,
  root: string,
  { workspace, dataDir }: StackPaths,
  ports: StackPorts,
): NodeJS.ProcessEnv => ({
  NODE_COMPILE_CACHE: join(root, '.orion', 'compile-cache'),
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !belongsToOtherStacks(name))),
  ORION_WORKSPACE: workspace,
  ORION_DATA_DIR: dataDir,
  // A stack in the background serves only this machine, at ports of its own. To serve other machines, use `npm start`.
  ORION_HOST: '127.0.0.1',
  ORION_PORT: String(ports.gateway),
  ORION_TEMPORAL_PORT: String(ports.temporal),
  ORION_TEMPORAL_UI_PORT: String(ports.temporalUi),
  ORION_POSTGRES_PORT: String(ports.postgres),
});

const belongsToOtherStacks = (name: string): boolean =>
  SETTINGS_OF_OTHER_STACKS.includes(name) || (name.startsWith('TEMPORAL_') && name !== 'TEMPORAL_CLI');
