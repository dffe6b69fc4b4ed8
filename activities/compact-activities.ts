import { Context, log } from '@temporalio/activity';
import { messageTokens, promptTokens } from '../src/base/text/message-tokens.ts';
import { truncateToBytes } from '../src/base/text/truncate-to-bytes.ts';
import {
  CHARACTERS_PER_TOKEN,
  type ModelMessage,
  type TokenUsage,
} from '../src/contracts/model/model-message.ts';
import type { Prices } from '../src/contracts/model/model-price.ts';
import type { CompactInput, CompactReport } from '../src/contracts/payload/compact-payloads.ts';
import { type SummaryLimits, summaryRequest } from '../src/prompts/summary-prompt.ts';
import type { UnfinishedSummary, SummaryRepository } from '../src/db/conversations/summary-repository.ts';
import { withDatabaseRetries } from '../src/db/connection/database-retries.ts';
import type { SpendRepository } from '../src/db/usage/spend-repository.ts';
import { costOf, uncachedCost } from '../src/llm/call-cost.ts';
import type { ModelClient } from '../src/llm/model-client.ts';
import { ProviderError } from '../src/llm/provider-error.ts';
import { ModelStreamReader } from '../src/protocol/stream/model-stream.ts';
import { endsInRepetition } from '../src/protocol/stream/repetition.ts';
import { type HeartbeatDeps, isInterrupted, withHeartbeat } from './attempt/heartbeat.ts';
import { attemptInterruptedFailure, providerFailure } from './attempt/activity-failures.ts';
import { ProviderErrorCount } from './attempt/provider-error-count.ts';

/** The activities of `compactWorkflow`, which summarises earlier turns. */
export interface CompactActivities {
  /** Makes one step of a summary. Returns its result, without the text of the summary. */
  summarise(input: CompactInput): Promise<CompactReport>;
  /** Settles the costs that lost attempts have reserved. */
  endCompaction(input: CompactInput): Promise<void>;
}

export interface CompactDeps extends HeartbeatDeps {
  readonly summaries: SummaryRepository;
  /** Returns the limits of summaries that a model makes. */
  readonly summaryLimits: (model: string) => SummaryLimits;
  readonly model: ModelClient;
  readonly prices: Prices;
  readonly spend: Pick<SpendRepository, 'settle'>;
  readonly countTokens: (model: string, usage: TokenUsage) => void;
  /**
   * Counts a cost in whole millionths of the currency. `isWasted` is true if the call is repeated or its result is no
   * longer wanted.
   */
  readonly countCost: (model: string, cost: number, of: { readonly isWasted: boolean }) => void;
  /** Counts one step by its result. */
  readonly countCompaction: (kind: CompactReport['kind']) => void;
}

const TEMPERATURE = 0.2;

/**
 * Creates the activities that summarise turns which prompts will leave out. The model of the turn whose end has asked
 * for the summary makes it step by step, and Postgres keeps it.
 */
export const createCompactActivities = (deps: CompactDeps): CompactActivities => ({
  summarise: async (input) => {
    const errors = new ProviderErrorCount();
    const report = await withHeartbeat(
      deps,
      () => errors.details(),
      () => takeStep(deps, input, errors),
    );
    deps.countCompaction(report.kind);
    if (report.kind !== 'more') {
      const message = report.kind === 'ready' ? 'earlier turns summarised' : 'earlier turns not summarised';
      log.info(message, { ...input, ...report });
    }
    return report;
  },
  endCompaction: ({ leafTurnId }) => deps.summaries.settleLost(leafTurnId),
});

const NOTHING = { turns: 0, tokens: 0 };

const takeStep = async (
  deps: CompactDeps,
  input: CompactInput,
  errors: ProviderErrorCount,
): Promise<CompactReport> => {
  const { cancellationSignal: signal } = Context.current();
  const work = await withDatabaseRetries(() => deps.summaries.readWork(input), signal);
  if (work.kind !== 'open') return { ...NOTHING, kind: work.kind };
  const { messages, turnCount } = summaryRequest(work.content, work.rest, deps.summaryLimits(work.model));
  const call = { model: work.model, messages, work };
  const epoch = await reserve(deps, input, call);
  if (typeof epoch !== 'number') return { ...NOTHING, kind: epoch };
  const answer = await ask(deps, input, { ...call, epoch, errors });
  if (answer.kind !== 'summary') return { ...NOTHING, kind: answer.kind };
  const { content, usage } = answer;
  const tokens = messageTokens({ role: 'user', content });
  const summarised = work.done + turnCount;
  const isStored = await withDatabaseRetries(
    () => deps.summaries.store(input.turnId, { before: work.done, done: summarised, content, tokens, usage }),
    signal,
  );
  if (!isStored) return { ...NOTHING, kind: 'gone' };
  return { kind: turnCount < work.rest.length ? 'more' : 'ready', turns: summarised, tokens };
};

interface SummaryCall {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly work: UnfinishedSummary;
}

/**
 * Reserves the cost of one step. Returns the epoch by which the cost is settled, or 0 if the model has no price and no
 * budget needs one. Otherwise returns why the step must not be made.
 */
const reserve = async (
  { prices, summaries, summaryLimits }: CompactDeps,
  input: CompactInput,
  { model, messages, work }: SummaryCall,
): Promise<number | 'over_budget' | 'gone'> => {
  const price = prices.get(model);
  if (price === undefined) return work.isBudgeted ? 'over_budget' : 0;
  const promptCost = uncachedCost(price, promptTokens(messages));
  const maxAnswerCost = costOf(price, {
    promptTokens: 0,
    completionTokens: summaryLimits(model).summaryTokens,
  });
  const maxCost = promptCost + maxAnswerCost;
  return withDatabaseRetries(
    () => summaries.reserve(input, { model, maxCost, promptCost, outputPrice: price.output }),
    Context.current().cancellationSignal,
  );
};

type SummaryAnswer =
  | { readonly kind: 'summary'; readonly content: string; readonly usage: TokenUsage }
  | { readonly kind: 'failed' | 'useless' };

const ask = async (
  deps: CompactDeps,
  input: CompactInput,
  call: SummaryCall & { readonly epoch: number; readonly errors: ProviderErrorCount },
): Promise<SummaryAnswer> => {
  const { summaryTokens: maxTokens } = deps.summaryLimits(call.model);
  const reader = new ModelStreamReader({ stopAt: 'end', lead: '', tokenBudget: maxTokens, tools: false });
  try {
    await stream(deps, call, { reader, maxTokens });
  } catch (error) {
    // A provider that refuses before the first word charges nothing.
    const isRefused = error instanceof ProviderError && reader.characters === 0;
    const usage = isRefused ? { promptTokens: 0, completionTokens: 0 } : usageOf(reader, call);
    const failure = classifyError(error, call.errors);
    await settle(deps, input, { ...call, isWasted: failure.kind === 'throw' }, usage);
    if (failure.kind === 'throw') throw failure.error;
    return failure;
  }
  const { fullContent, finishReason } = reader.end();
  const usage = usageOf(reader, call);
  await settle(deps, input, { ...call, isWasted: false }, usage);
  deps.countTokens(call.model, usage);
  if (finishReason === 'repetition' || finishReason === 'content_filter') return { kind: 'useless' };
  const content = bounded(fullContent.trim(), maxTokens);
  if (content === '' || endsInRepetition(content)) return { kind: 'useless' };
  return { kind: 'summary', content, usage };
};

const stream = async (
  { model: client }: CompactDeps,
  { model, messages }: SummaryCall,
  { reader, maxTokens }: { readonly reader: ModelStreamReader; readonly maxTokens: number },
): Promise<void> => {
  const request = { model, messages, tools: [], temperature: TEMPERATURE, maxTokens };
  await client.stream(request, Context.current().cancellationSignal, (delta) =>
    reader.feed(delta).shouldStop ? 'enough' : 'more',
  );
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
  { prices, spend, countCost }: CompactDeps,
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
