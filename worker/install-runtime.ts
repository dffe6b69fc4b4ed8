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

/** Address at which Prometheus finds this worker. If `port` is undefined, nothing is served. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number | undefined;
}

/**
 * Installs the Temporal runtime of this process, which also serves the metrics, its own and ours. Throws StartError
 * when the address is taken. `npm start` gives every worker a port of its own, but workers started by hand each need
 * the variable.
 */
export const installRuntime = (log: Logger, address: MetricsAddress): WorkerMetrics => {
  try {
    const runtime = Runtime.install({
      // Signals are handled by this process: the runtime's own handler would stop the worker behind its back.
      shutdownSignals: [],
      logger: temporalLogger(log),
      ...telemetryOf(address),
    });
    return createWorkerMetrics(runtime.metricMeter);
  } catch (cause) {
    const reason = errorMessage(cause);
    throw new StartError(
      `ORION_METRICS_PORT: cannot serve metrics on ${bindAddressOf(address)} (${reason})`,
      { cause },
    );
  }
};

const bindAddressOf = ({ host, port }: MetricsAddress): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Messages of the native part go to our log as well: otherwise it would print coloured text between lines of JSON. */
const logging = { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } as const;

const telemetryOf = (address: MetricsAddress): Pick<RuntimeOptions, 'telemetryOptions'> => {
  if (address.port === undefined) return { telemetryOptions: { logging } };
  const prometheus = {
    bindAddress: bindAddressOf(address),
    countersTotalSuffix: true,
    unitSuffix: true,
    useSecondsForDurations: true,
    histogramBucketOverrides: { [TOOL_DURATION]: TOOL_DURATION_BUCKETS },
  };
  return { telemetryOptions: { logging, metrics: { prometheus } } };
};
