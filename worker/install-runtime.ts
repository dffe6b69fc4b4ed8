import { Runtime, type RuntimeOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { errorMessage } from '../src/contracts/values/error-message.ts';
import { StartError } from '../src/base/errors/start-error.ts';
import { temporalLogger } from './temporal-logger.ts';
import {
  createWorkerMetrics,
  TOOL_DURATION,
  TOOL_DURATION_BUCKETS,
  type WorkerMetrics,
} from './worker-metrics.ts';

/** The address at which Prometheus finds this worker. If `port` is undefined, no metrics are served. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number | undefined;
}

/**
 * Installs the Temporal runtime of this process. The runtime also serves the metrics, both its own and Orion's. Throws
 * StartError if it cannot be installed, most often because the address of the metrics is taken. `npm start` gives every
 * worker a port of its own. Workers that are started by hand on one machine each need another `ORION_METRICS_PORT`.
 */
export const installRuntime = (log: Logger, address: MetricsAddress): WorkerMetrics => {
  try {
    const runtime = Runtime.install({
      // This process handles signals itself. The runtime's own handler would stop the worker behind its back.
      shutdownSignals: [],
      logger: temporalLogger(log),
      ...telemetryOf(address),
    });
    return createWorkerMetrics(runtime.metricMeter);
  } catch (cause) {
    throw new StartError(`${failureOf(address)} (${errorMessage(cause)})`, { cause });
  }
};

const failureOf = (address: MetricsAddress): string =>
  address.port === undefined
    ? 'cannot start the Temporal runtime of this worker'
    : `ORION_METRICS_PORT: cannot serve metrics on ${bindAddressOf(address)}`;

const bindAddressOf = ({ host, port }: MetricsAddress): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

/**
 * Messages of the native part go to the log of this process, too. Otherwise the runtime would print coloured text
 * between lines of JSON.
 */
const LOGGING = { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } as const;

const telemetryOf = (address: MetricsAddress): Pick<RuntimeOptions, 'telemetryOptions'> => {
  if (address.port === undefined) return { telemetryOptions: { logging: LOGGING } };
  const prometheus = {
    bindAddress: bindAddressOf(address),
    countersTotalSuffix: true,
    unitSuffix: true,
    useSecondsForDurations: true,
    histogramBucketOverrides: { [TOOL_DURATION]: TOOL_DURATION_BUCKETS },
  };
  return { telemetryOptions: { logging: LOGGING, metrics: { prometheus } } };
};
