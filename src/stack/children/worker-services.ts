import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import { createTemporalClient, type TemporalClient } from '../../temporal/temporal-client.ts';
import { recoverFrom } from '../recovery/lost-worker.ts';
import type { LoopbackAddress } from '../servers/ports.ts';
import type { ChildSpec } from './child.ts';
import { createNodeService, type NodeServiceOptions } from './node-service.ts';
import type { Service } from './service.ts';

const RECOVERY_TIMEOUT_MS = 10_000;
/**
 * Pauses before the looks for the work of a dead worker: the list that it is found by is half a second behind, more
 * under load.
 */
const LOOKS_AFTER_MS = [0, 300, 400, 1_800];

type Shared = Pick<NodeServiceOptions, 'root' | 'dataDir' | 'registry' | 'log'>;

export interface WorkerServicesOptions extends Shared {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly temporalAddress: string | undefined;
  /** Where each worker serves its metrics; none: nowhere. */
  readonly metrics: readonly LoopbackAddress[];
}

/** Identity of one process, never used again: by it Temporal's records tell the dead from the living. */
const newIdentity = (name: string): string => `${name}-${randomBytes(6).toString('hex')}`;

const metricsEnv = (address: LoopbackAddress | undefined): NodeJS.ProcessEnv =>
  address === undefined ? {} : { ORION_METRICS_HOST: address.host, ORION_METRICS_PORT: String(address.port) };

const createRecovery = (
  { config, log }: WorkerServicesOptions,
  temporal: TemporalClient,
  closed: AbortSignal,
) => {
  const { taskQueue } = config.temporal;
  const look = async (identity: string, seen: Set<string>): Promise<void> => {
    const recover = () => recoverFrom({ identity, taskQueue }, temporal.client, seen);
    try {
      const lost = await temporal.client.withDeadline(Date.now() + RECOVERY_TIMEOUT_MS, recover);
      if (lost > 0) log(`${lost} interrupted activities of ${identity} are tried again`);
    } catch (error) {
      if (closed.aborted) return;
      log(
        `Temporal could not be told of the end of ${identity}: ${String(error)}; missed heartbeats tell it too`,
      );
    }
  };
  return async (spec: ChildSpec): Promise<void> => {
    const identity = spec.env['ORION_WORKER_IDENTITY'] ?? '';
    const seen = new Set<string>();
    for (const pause of LOOKS_AFTER_MS) {
      if (pause > 0) await delay(pause, undefined, { ref: false });
      if (closed.aborted) return;
      await look(identity, seen);
    }
  };
};

/** The worker processes. When one ends, its work goes on elsewhere without waiting for its restart. */
export const createWorkerServices = (options: WorkerServicesOptions) => {
  const { config, env, temporalAddress: address } = options;
  const connection = { ...config.temporal.connection, ...(address !== undefined && { address }) };
  const temporal = createTemporalClient(connection, config.temporal.namespace);
  const closing = new AbortController();
  const recover = createRecovery(options, temporal, closing.signal);
  const services = Array.from({ length: config.stack.workers }, (_, index): Service => {
    const name = `worker-${index + 1}`;
    return createNodeService({
      ...options,
      role: 'worker',
      name,
      entry: ['worker/main.ts'],
      env: () => ({
        ...env,
        ...metricsEnv(options.metrics[index]),
        ORION_WORKER_IDENTITY: newIdentity(name),
      }),
      onLost: (spec) => void recover(spec),
    });
  });
  /** The first recovery of a process takes 400 ms longer: connection, code and caches are cold. */
  const rehearse = (): Promise<unknown> =>
    temporal.client
      .withDeadline(Date.now() + RECOVERY_TIMEOUT_MS, () =>
        recoverFrom(
          { identity: newIdentity('nobody'), taskQueue: config.temporal.taskQueue },
          temporal.client,
          new Set(),
        ),
      )
      .catch(() => undefined);
  const close = (): Promise<void> => {
    closing.abort();
    return temporal.connection.close();
  };
  return { services, rehearse, close };
};
