import { Context, log } from '@temporalio/activity';
import { messageTokens } from '../src/base/text/message-tokens.ts';
import type { CompactInput, CompactReport } from '../src/contracts/payload/compact-payloads.ts';
import { type SummaryLimits, summaryRequest } from '../src/prompts/summary-prompt.ts';
import type { SummaryRepository } from '../src/db/conversations/summary-repository.ts';
import { withDatabaseRetries } from '../src/db/connection/database-retries.ts';
import { type HeartbeatDeps, withHeartbeat } from './attempt/heartbeat.ts';
import { ProviderErrorCount } from './attempt/provider-error-count.ts';
import { askForSummary, type SummaryCallDeps } from './summary-call.ts';

/** The activities of `compactWorkflow`, which summarises earlier turns. */
export interface CompactActivities {
  /** Makes one step of a summary. Returns its result, without the text of the summary. */
  summarise(input: CompactInput): Promise<CompactReport>;
  /** Settles the costs that lost attempts have reserved. */
  endCompaction(input: CompactInput): Promise<void>;
}

export interface CompactDeps extends HeartbeatDeps, SummaryCallDeps {
  readonly summaries: SummaryRepository;
  /** Returns the limits of summaries that a model makes. */
  readonly summaryLimits: (model: string) => SummaryLimits;
  /** Counts one step by its result. */
  readonly countCompaction: (kind: CompactReport['kind']) => void;
}

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
  const work = await withDatabaseRetries(() => deps.summaries.loadWork(input), signal);
  if (work.kind !== 'open') return { ...NOTHING, kind: work.kind };
  const limits = deps.summaryLimits(work.model);
  const { messages, turnCount } = summaryRequest(work.content, work.rest, limits);
  const call = { ...work, messages, maxTokens: limits.summaryTokens };
  const answer = await askForSummary(deps, input, call, errors);
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
