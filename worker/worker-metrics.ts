import type { MetricMeter } from '@temporalio/common';
import type { CountCost } from '../activities/call-model/call-spend.ts';
import type { NotificationOutcome } from '../activities/send-notification.ts';
import type { ToolRegistry } from '../src/tools/registry.ts';
import type { CompactReport } from '../src/contracts/payload/compact-payloads.ts';
import type { TokenUsage } from '../src/contracts/model/model-message.ts';
import { ASK_USER } from '../src/contracts/tools/built-in-tools.ts';
import type { ToolRunner } from '../src/tools/run/runner.ts';

/** Name of the histogram of tool executions, in seconds. */
export const TOOL_DURATION = 'orion_tool_duration';
/** Name of the counter of attempts to send a message to the webhook, and of messages that are given up. */
export const NOTIFICATIONS = 'orion_notifications';
/** Name of the counter of steps of compactions. */
const COMPACTIONS = 'orion_compactions';
/** Name of the counter of tokens. */
const MODEL_TOKENS = 'orion_model_tokens';
/** Name of the counter of costs, in millionths of the currency. */
const MODEL_COST = 'orion_model_cost_millionths';
/** Upper bounds of the buckets in seconds, from reading a file to searching a large workspace. */
export const TOOL_DURATION_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30, 120];

/** Orion's own metrics of a worker, in addition to those of the Temporal runtime (docs/operations.md "Monitoring"). */
export interface WorkerMetrics {
  /**
   * Returns a runner that also measures every execution. An execution whose result comes from the ledger is counted
   * once more, with the duration that it had.
   */
  measureRunner(runner: ToolRunner, registry: Pick<ToolRegistry, 'describe'>): ToolRunner;
  /** Counts one attempt to send a message to the webhook, or one message that is given up, by its outcome. */
  countNotification(outcome: NotificationOutcome): void;
  /** Counts one step of a compaction, by its result. */
  countCompaction(kind: CompactReport['kind']): void;
  /**
   * Counts the tokens of one model call. Tokens that were read from a cache, written to one, or used for reasoning are
   * counted separately from the others.
   */
  countTokens(model: string, usage: TokenUsage): void;
  readonly countCost: CountCost;
}

/** Creates the metrics with the meter of the Temporal runtime, which serves them at `ORION_METRICS_PORT`. */
export const createWorkerMetrics = (meter: MetricMeter): WorkerMetrics => {
  const duration = meter.createHistogram(TOOL_DURATION, 'float', 'seconds', 'Executions of tools');
  const notifications = meter.createCounter(NOTIFICATIONS, 'attempts', 'Attempts to tell the webhook');
  const compactions = meter.createCounter(COMPACTIONS, 'steps', 'Steps of compactions, by outcome');
  const tokens = meter.createCounter(MODEL_TOKENS, undefined, 'Tokens of model calls that ended, by kind');
  const cost = meter.createCounter(
    MODEL_COST,
    undefined,
    'Cost of model calls, in millionths of the currency',
  );
  return {
    countCost: (model, millionths, { isWasted }) => cost.add(millionths, { model, wasted: isWasted }),
    countTokens: (model, usage) => {
      for (const [kind, count] of tokenKinds(usage)) if (count > 0) tokens.add(count, { model, kind });
    },
    countCompaction: (outcome) => compactions.add(1, { outcome }),
    countNotification: (outcome) => notifications.add(1, { outcome }),
    measureRunner: (runner, registry) => ({
      async execute(call, context) {
        const result = await runner.execute(call, context);
        // A name that the model made up must not become a time series.
        const { name } = call.function;
        const isKnown = registry.describe(name) !== undefined || name === ASK_USER.name;
        const tool = isKnown ? result.toolName : 'unknown';
        duration.record(result.durationMs / 1_000, { tool, ok: result.success });
        return result;
      },
    }),
  };
};

const tokenKinds = (usage: TokenUsage): readonly (readonly [kind: string, count: number])[] => {
  const {
    promptTokens,
    completionTokens,
    cachedTokens = 0,
    cacheWriteTokens = 0,
    reasoningTokens = 0,
  } = usage;
  return [
    ['prompt', promptTokens - cachedTokens - cacheWriteTokens],
    ['cached', cachedTokens],
    ['cache_write', cacheWriteTokens],
    ['completion', completionTokens - reasoningTokens],
    ['reasoning', reasoningTokens],
  ];
};
