import type { MetricMeter } from '@temporalio/common';
import type { ToolRegistry } from '../src/tools/registry.ts';
import type { ToolRunner } from '../src/tools/runner.ts';

export const TOOL_DURATION = 'orion_tool_duration';
/** Seconds: from a file that is read to a search through a large workspace. */
export const TOOL_DURATION_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30, 120];

/** Our own figures of a worker, beside those of the Temporal runtime (docs/storage.md "Logs and metrics"). */
export interface WorkerMetrics {
  /** Times every execution; a repeat that the ledger answers counts as short as it is. */
  measured(runner: ToolRunner, registry: Pick<ToolRegistry, 'describe'>): ToolRunner;
}

export const createWorkerMetrics = (meter: MetricMeter): WorkerMetrics => {
  const duration = meter.createHistogram(TOOL_DURATION, 'float', 'seconds', 'Executions of tools');
  return {
    measured: (runner, registry) => ({
      async execute(call, context) {
        const result = await runner.execute(call, context);
        // A name that the model made up must not become a series.
        const tool = registry.describe(call.function.name) ? result.toolName : 'unknown';
        duration.record(result.durationMs / 1_000, { tool, ok: result.success });
        return result;
      },
    }),
  };
};
