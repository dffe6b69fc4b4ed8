import type { MetricMeter } from '@temporalio/common';
import type { NotificationOutcome } from '../activities/send-notification.ts';
import type { ToolRegistry } from '../src/tools/registry.ts';
import { ASK_USER } from '../src/contracts/built-in-tools.ts';
import type { ToolRunner } from '../src/tools/runner.ts';

/** Name of the histogram of executions, in seconds. */
export const TOOL_DURATION = 'orion_tool_duration';
/** Name of the counter of attempts to tell the webhook. */
export const NOTIFICATIONS = 'orion_notifications';
/** Seconds: from a file that is read to a search through a large workspace. */
export const TOOL_DURATION_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30, 120];

/** Our own figures of a worker, beside those of the Temporal runtime (docs/storage.md "Logs and metrics"). */
export interface WorkerMetrics {
  /** Times every execution; a repeat that the ledger answers counts as short as it is. */
  measured(runner: ToolRunner, registry: Pick<ToolRegistry, 'describe'>): ToolRunner;
  /** Counts attempts to tell the webhook by what came of them. */
  countNotification(outcome: NotificationOutcome): void;
}

/** Figures by the meter of the Temporal runtime, which serves them at `ORION_METRICS_PORT`. */
export const createWorkerMetrics = (meter: MetricMeter): WorkerMetrics => {
  const duration = meter.createHistogram(TOOL_DURATION, 'float', 'seconds', 'Executions of tools');
  const notifications = meter.createCounter(NOTIFICATIONS, 'attempts', 'Attempts to tell the webhook');
  return {
    countNotification: (outcome) => notifications.add(1, { outcome }),
    measured: (runner, registry) => ({
      async execute(call, context) {
        const result = await runner.execute(call, context);
        // A name that the model made up must not become a series.
        const { name } = call.function;
        const isKnown = registry.describe(name) !== undefined || name === ASK_USER.name;
        const tool = isKnown ? result.toolName : 'unknown';
        duration.record(result.durationMs / 1_000, { tool, ok: result.success });
        return result;
      },
    }),
  };
};
