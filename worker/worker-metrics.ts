import type { MetricMeter } from '@temporalio/common';
import type { NotificationOutcome } from '../activities/send-notification.ts';
import type { ToolRegistry } from '../src/tools/registry.ts';
import type { CompactReport } from '../src/contracts/payload/compact-payloads.ts';
import type { TokenUsage } from '../src/contracts/model/model-message.ts';
import { ASK_USER } from '../src/contracts/tools/built-in-tools.ts';
import type { ToolRunner } from '../src/tools/run/runner.ts';

/** Name of the histogram of executions, in seconds. */
export const TOOL_DURATION = 'orion_tool_duration';
/** Name of the counter of attempts to tell the webhook. */
export const NOTIFICATIONS = 'orion_notifications';
/** Name of the counter of steps of compactions. */
const COMPACTIONS = 'orion_compactions';
/** Name of the counter of tokens. */
const MODEL_TOKENS = 'orion_model_tokens';
/** Name of the counter of costs, in millionths of the currency. */
const MODEL_COST = 'orion_model_cost_millionths';
/** Seconds: from a file that is read to a search through a large workspace. */
export const TOOL_DURATION_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30, 120];

/** Our own figures of a worker, beside those of the Temporal runtime (docs/operations.md "Monitoring"). */
export interface WorkerMetrics {
  /** Times every execution. A repeat that the ledger answers counts, with the short time that it takes. */
  measureRunner(runner: ToolRunner, registry: Pick<ToolRegistry, 'describe'>): ToolRunner;
  /** Counts attempts to tell the webhook by what came of them. */
  countNotification(outcome: NotificationOutcome): void;
  /** Counts steps of compactions by what came of them. */
  countCompaction(kind: CompactReport['kind']): void;
  /** Counts the tokens of a model call, with tokens of the cache and of reasoning counted apart. */
  countTokens(model: string, usage: TokenUsage): void;
  /**
   * Counts what attempts of model calls cost, in millionths of the currency. `isWasted` is true if the attempt is
   * repeated.
   */
  countCost(model: string, cost: number, of: { readonly isWasted: boolean }): void;
}

/** Figures by the meter of the Temporal runtime, which serves them at `ORION_METRICS_PORT`. */
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
