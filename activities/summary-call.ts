import { Context, log } from '@temporalio/activity';
import { promptTokens } from '../src/base/text/message-tokens.ts';
import { truncateToBytes } from '../src/base/text/truncate-to-bytes.ts';
import {
  CHARACTERS_PER_TOKEN,
  type ModelMessage,
  type TokenUsage,
} from '../src/contracts/model/model-message.ts';
import type { Prices } from '../src/contracts/model/model-price.ts';
import type { CompactInput } from '../src/contracts/payload/compact-payloads.ts';
import type { SummaryRepository } from '../src/db/conversations/summary-repository.ts';
import { withDatabaseRetries } from '../src/db/connection/database-retries.ts';
import type { SpendRepository } from '../src/db/usage/spend-repository.ts';
import { costOf, reservedCosts } from '../src/llm/call-cost.ts';
import type { ModelClient } from '../src/llm/model-client.ts';
import { ProviderError } from '../src/llm/provider-error.ts';
import { ModelStreamReader } from '../src/protocol/stream/model-stream.ts';
import { endsInRepetition } from '../src/protocol/stream/repetition.ts';
import { isInterrupted } from './attempt/interruption.ts';
import { attemptInterruptedFailure, providerFailure } from './attempt/activity-failures.ts';
import type { ProviderErrorCount } from './attempt/provider-error-count.ts';
import type { CountCost } from './call-model/call-spend.ts';

export interface SummaryCallDeps {
  readonly summaries: Pick<SummaryRepository, 'reserve'>;
  readonly model: ModelClient;
  readonly prices: Prices;
  readonly spend: Pick<SpendRepository, 'settle'>;
  readonly countTokens: (model: string, usage: TokenUsage) => void;
  readonly countCost: CountCost;
}

const TEMPERATURE = 0.2;

/** The model call of one step of a summary. */
interface SummaryCall {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /** Largest length of the summary. */
  readonly maxTokens: number;
  /** True if the turn whose end has asked for the summary has a budget. */
  readonly isBudgeted: boolean;
}

/**
 * The result of a call. `over_budget` and `gone` say why it was not made, `failed` and `useless` that it brought no
 * summary.
 */
type SummaryAnswer =
  | { readonly kind: 'summary'; readonly content: string; readonly usage: TokenUsage }
  | { readonly kind: 'over_budget' | 'gone' | 'failed' | 'useless' };

/**
 * Asks the model for a summary. The cost of the call is reserved before it and settled after it. Throws, so that
 * Temporal repeats or drops the call, for an interruption, for an error that is not the provider's, and for a passing
 * failure while `errors` is below its limit.
 */
export const askForSummary = async (
  deps: SummaryCallDeps,
  input: CompactInput,
  call: SummaryCall,
  errors: ProviderErrorCount,
): Promise<SummaryAnswer> => {
  const epoch = await reserve(deps, input, call);
  if (typeof epoch !== 'number') return { kind: epoch };
  const { maxTokens } = call;
  const reader = new ModelStreamReader({ stopAt: 'end', lead: '', tokenBudget: maxTokens, tools: false });
  try {
    await stream(deps, call, reader);
  } catch (error) {
    // A provider that refuses before the first word charges nothing.
    const isRefused = error instanceof ProviderError && reader.characters === 0;
    const usage = isRefused ? { promptTokens: 0, completionTokens: 0 } : usageOf(reader, call);
    const failure = classifyError(error, errors);
    await settle(deps, input, { ...call, epoch, isWasted: failure.kind === 'throw' }, usage);
    if (failure.kind === 'throw') throw failure.error;
    return failure;
  }
  const usage = usageOf(reader, call);
  await settle(deps, input, { ...call, epoch, isWasted: false }, usage);
  deps.countTokens(call.model, usage);
  return summaryOf(reader, maxTokens, usage);
};

/**
 * Reserves the cost of one step. Returns the epoch by which the cost is settled, or 0 if the model has no price and no
 * budget needs one. Otherwise returns why the step must not be made.
 */
const reserve = async (
  { prices, summaries }: SummaryCallDeps,
  input: CompactInput,
  { model, messages, maxTokens, isBudgeted }: SummaryCall,
): Promise<number | 'over_budget' | 'gone'> => {
  const price = prices.get(model);
  if (price === undefined) return isBudgeted ? 'over_budget' : 0;
  const costs = reservedCosts(price, promptTokens(messages), maxTokens);
  return withDatabaseRetries(
    () => summaries.reserve(input, { model, ...costs }),
    Context.current().cancellationSignal,
  );
};

const stream = async (
  { model: client }: SummaryCallDeps,
  { model, messages, maxTokens }: SummaryCall,
  reader: ModelStreamReader,
): Promise<void> => {
  const request = { model, messages, tools: [], temperature: TEMPERATURE, maxTokens };
  await client.stream(request, Context.current().cancellationSignal, (delta) =>
    reader.feed(delta).shouldStop ? 'enough' : 'more',
  );
};

/** Returns the summary that was read, or `useless` if there is none or it repeats itself. */
const summaryOf = (reader: ModelStreamReader, maxTokens: number, usage: TokenUsage): SummaryAnswer => {
  const { fullContent, finishReason } = reader.end();
  if (finishReason === 'repetition' || finishReason === 'content_filter') return { kind: 'useless' };
  const content = bounded(fullContent.trim(), maxTokens);
  if (content === '' || endsInRepetition(content)) return { kind: 'useless' };
  return { kind: 'summary', content, usage };
};

/** Cuts a text that is longer than `maxTokens` allow, and appends `…` to it. */
const bounded = (text: string, maxTokens: number): string => {
  const start = truncateToBytes(text, maxTokens * CHARACTERS_PER_TOKEN);
  return start === text ? text : `${start} …`;
};

const usageOf = (reader: ModelStreamReader, { messages }: SummaryCall): TokenUsage => {
  const { usage } = reader.end();
  return usage.estimated ? { ...usage, promptTokens: promptTokens(messages) } : usage;
};

const settle = async (
  { prices, spend, countCost }: SummaryCallDeps,
  { leafTurnId }: CompactInput,
  { model, epoch, isWasted }: SummaryCall & { readonly epoch: number; readonly isWasted: boolean },
  usage: TokenUsage,
): Promise<void> => {
  const price = prices.get(model);
  if (price === undefined || epoch === 0) return;
  const cost = costOf(price, usage);
  try {
    await withDatabaseRetries(
      () => spend.settle(leafTurnId, epoch, cost),
      AbortSignal.timeout(STORE_COST_MS),
    );
  } catch (error) {
    log.warn('the cost of a summary is not stored: it counts as lost', { err: error });
    return;
  }
  countCost(model, cost, { isWasted });
};

/**
 * Milliseconds in which the cost of a call must be stored. The activity's own signal does not end this, so that the
 * cost is stored even when the worker is about to stop.
 */
const STORE_COST_MS = 5_000;

/**
 * Returns `throw` with the error for Temporal, which then repeats or drops the call: an interruption, an error that is
 * not the provider's, or a passing failure below the limit. Any other failure of the provider ends the summary.
 */
const classifyError = (
  error: unknown,
  errors: ProviderErrorCount,
): { readonly kind: 'failed' } | { readonly kind: 'throw'; readonly error: unknown } => {
  if (isInterrupted()) return { kind: 'throw', error: attemptInterruptedFailure() };
  if (!(error instanceof ProviderError)) return { kind: 'throw', error };
  if (error.isRetryable && !errors.addAndCheckLimit()) {
    return { kind: 'throw', error: providerFailure(error) };
  }
  log.warn('the model makes no summary', { code: error.code });
  return { kind: 'failed' };
};
