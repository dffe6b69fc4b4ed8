import { randomBytes } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { createTemporalClient, type TemporalClient } from '../../temporal/temporal-client.ts';
import type { LostWorkers } from '../../temporal/lost-work-recovery.ts';
import { createRunExclusive } from '../../base/timing/run-exclusive.ts';
import { recoverOnce, recoverInPasses } from '../../temporal/recovery-passes.ts';
import type { LoopbackAddress } from '../servers/ports.ts';
import type { ChildSpec } from '../processes/child.ts';
import { createNodeService, type NodeServiceOptions } from './node-service.ts';
import { type SupervisedService, STOP_GRACE_MS } from './service.ts';

type CommonServiceOptions = Pick<NodeServiceOptions, 'root' | 'dataDir' | 'registry' | 'log'>;

export interface WorkerServicesOptions extends CommonServiceOptions {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly temporalAddress: string | undefined;
  /** Addresses at which the workers serve their metrics, one each. Empty if they serve none. */
  readonly metrics: readonly LoopbackAddress[];
}

/**
 * Creates the services of the worker processes. When a process ends, Temporal is told, so that its work continues in
 * another worker without waiting for a restart.
 */
export const createWorkerServices = (options: WorkerServicesOptions) => {
  const { config, env, temporalAddress: address } = options;
  const connection = { ...config.temporal.connection, ...(address !== undefined && { address }) };
  const temporal = createTemporalClient(connection, config.temporal.namespace);
  const closing = new AbortController();
  const recover = createRecovery(options, temporal, closing.signal);
  const services = Array.from({ length: config.stack.workers }, (_, index): SupervisedService => {
    const name = `worker-${index + 1}`;
    return createNodeService({
      ...options,
      role: 'worker',
      name,
      entry: ['worker/main.ts'],
      env: () => ({
        ...env,
        ...metricsVariables(options.metrics[index]),
        ORION_WORKER_IDENTITY: newIdentity(name),
      }),
      // The setting counts from the same signal, so the worker needs the time of every other process after it.
      graceMs: config.worker.shutdownGraceMs + STOP_GRACE_MS,
      onLost: (spec) => void recover(spec),
    });
  });
  /**
   * Makes a recovery that finds nothing. The first one of a process takes 400 ms longer than others, because
   * connection, code and caches are cold.
   */
  const warmUp = (): Promise<unknown> =>
    recoverOnce(
      temporal.client,
      oneLostWorker(config.temporal.taskQueue, newIdentity('nobody')),
      new Set(),
    ).catch(() => undefined);
  const close = (): Promise<void> => {
    closing.abort();
    return temporal.connection.close();
  };
  return { services, warmUp, close };
};

const createRecovery =
  ({ config, log }: WorkerServicesOptions, { client }: TemporalClient, closed: AbortSignal) =>
  (spec: ChildSpec): Promise<void> => {
    const identity = spec.env['ORION_WORKER_IDENTITY'] ?? '';
    return recoverInPasses({
      client,
      // A lock of its own is enough, since nothing else recovers this worker.
      runExclusive: createRunExclusive(),
      workers: oneLostWorker(config.temporal.taskQueue, identity),
      closed,
      onRecovered: (lost) => log(`${lost} interrupted activities of ${identity} are tried again`),
      onFailed: (error) =>
        log(
          `Temporal could not be told of the end of ${identity}: ${String(error)}; missed heartbeats tell it too`,
        ),
    });
  };

const metricsVariables = (address: LoopbackAddress | undefined): NodeJS.ProcessEnv =>
  address === undefined ? {} : { ORION_METRICS_HOST: address.host, ORION_METRICS_PORT: String(address.port) };

/**
 * Returns an identity for one process. It is never used again, so that the records of Temporal tell processes that have
 * ended from living ones.
 */
const newIdentity = (name: string): string => `${name}-${randomBytes(6).toString('hex')}`;

/** Describes the one worker whose process has ended. No other process has had this `identity`. */
const oneLostWorker = (taskQueue: string, identity: string): LostWorkers => ({
  taskQueue,
  findLost: (identities) => new Set(identities.has(identity) ? [identity] : []),
});
