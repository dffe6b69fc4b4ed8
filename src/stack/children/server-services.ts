import type { Config } from '../../config/config.ts';
import type { LoopbackAddress } from '../servers/ports.ts';
import { waitForPostgres, preparePostgres } from '../servers/postgres-server.ts';
import { waitForTemporal, temporalServerSpec } from '../servers/temporal-server.ts';
import type { ChildRegistry } from '../processes/child.ts';
import { SupervisedService, READY_TIMEOUT_MS, STOP_GRACE_MS } from './service.ts';

/**
 * Milliseconds after which a Temporal server that was asked to end while it is still starting is killed. It would
 * otherwise wait for three seconds, although nothing uses it yet.
 */
const TEMPORAL_STARTING_GRACE_MS = 500;

export interface ServerServicesOptions {
  readonly root: string;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly registry: ChildRegistry;
  readonly log: (line: string) => void;
}

/**
 * Creates the service that keeps the Temporal dev server running. The returned address stays the same over restarts.
 * `ui` is the address of the Web UI.
 */
export const createTemporalService = (
  options: ServerServicesOptions,
  ui: LoopbackAddress,
): { service: SupervisedService; address: string } => {
  const { config, registry, log } = options;
  const server = {
    root: options.root,
    dataDir: config.dataDir,
    port: config.stack.temporalPort,
    ui,
    namespace: config.temporal.namespace,
    env: options.env,
  };
  const service = new SupervisedService({
    spec: () => temporalServerSpec(server),
    waitUntilReady: (child) => waitForTemporal(child, server, READY_TIMEOUT_MS),
    registry,
    graceMs: STOP_GRACE_MS,
    startingGraceMs: TEMPORAL_STARTING_GRACE_MS,
    log,
  });
  return { service, address: `127.0.0.1:${server.port}` };
};

/**
 * Creates the service that keeps Postgres running, and makes the database at the first start. Rejects if the database
 * cannot be prepared.
 */
export const createPostgresService = async (
  options: ServerServicesOptions,
): Promise<{ service: SupervisedService; url: string }> => {
  const { config, env, registry, log } = options;
  const port = config.stack.postgresPort;
  const { spec, url, layout } = await preparePostgres({ dataDir: config.dataDir, port, env, log });
  const service = new SupervisedService({
    spec: () => spec,
    waitUntilReady: (child) => waitForPostgres(child, layout.cluster, READY_TIMEOUT_MS),
    registry,
    graceMs: STOP_GRACE_MS,
    log,
  });
  return { service, url };
};
