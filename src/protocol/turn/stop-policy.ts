import type { Budgets } from '../../contracts/turn/budgets.ts';
import type { DoneReason } from '../../contracts/wire/turn-event.ts';
import { COST_LIMIT, limitNotice, TOKEN_LIMIT, type NoticeText } from './notices.ts';

/**
 * The counters of a turn, as plain JSON. No number ever decreases (I7 of docs/protocol.md "Invariants"). Forced answers
 * count only for `tokens`, `modelCalls` and `lateAnswers`.
 */
export interface TurnCounters {
  /** Number of tool executions. A call that failed the worker's checks before a person was asked counts, too. */
  cycles: number;
  duplicates: number;
  malformed: number;
  /**
   * Number of calls and commits that plan mode, the policy or a person refused, or whose input request got no reply.
   * Those that gave way to a message of the user do not count.
   */
  refusals: number;
  /** Points for executions that brought nothing new (docs/protocol.md "What counts"). */
  noProgressPoints: number;
  /** The value of `noProgressPoints` at the latest progress. Only later points count. */
  idlePointsCleared: number;
  /** Number of tokens that the models generated. */
  tokens: number;
  /** Number of model calls that the turn's time has cut off. */
  timeCuts: number;
  /**
   * Number of model calls that were cut off because the turn's tokens were used up, or because the answer was too
   * large.
   */
  tokenCuts: number;
  /** Number of model calls that were not made, because a budget could not have paid for them. */
  costCuts: number;
  /** Number of model calls that were cut off for repetition. */
  repetitions: number;
  /** Number of model calls that were begun. */
  modelCalls: number;
  /** Number of answers that were forced after the turn's time was over. */
  lateAnswers: number;
}

/** Creates the counters of a turn that begins: all 0. */
export const createCounters = (): TurnCounters => ({
  cycles: 0,
  duplicates: 0,
  malformed: 0,
  refusals: 0,
  noProgressPoints: 0,
  idlePointsCleared: 0,
  tokens: 0,
  timeCuts: 0,
  tokenCuts: 0,
  costCuts: 0,
  repetitions: 0,
  modelCalls: 0,
  lateAnswers: 0,
});

/** What the rules decide by: the counters, the bounds, and how long the turn has run. */
export interface StopFacts {
  readonly counters: Readonly<TurnCounters>;
  /** The counters at the latest grant. Most limits apply only to what was counted since then. */
  readonly countersAtGrant: Readonly<TurnCounters>;
  /** The turn's budgets, including what was granted. */
  readonly budgets: Budgets;
  /** Milliseconds since the start, without those in which the turn waited for people. */
  readonly elapsedMs: number;
}

/** Why tool use ends, and whether the model still gives an answer. */
export interface TurnLimit {
  readonly reason: DoneReason;
  /**
   * True when the answer comes from one more model call, without tools, unless no tokens are left. If false, the turn
   * ends at once.
   */
  readonly forcesAnswer: boolean;
  /** The text for model and user. Absent for repetition, which ends the turn without a notice. */
  readonly notice?: NoticeText;
}

/** Returns a limit of the turn if it is reached, otherwise undefined. */
export type StopRule = (facts: StopFacts) => TurnLimit | undefined;

const limitRule =
  (
    reason: DoneReason,
    isMet: (facts: StopFacts) => boolean,
    notice: (budgets: Budgets) => NoticeText,
  ): StopRule =>
  (facts) =>
    isMet(facts) ? { reason, forcesAnswer: true, notice: notice(facts.budgets) } : undefined;

/** Number of executed tools for which one more duplicate is tolerated (docs/protocol.md "What counts"). */
const CYCLES_PER_EXTRA_DUPLICATE = 5;

const duplicates = limitRule(
  'duplicates',
  ({ counters, countersAtGrant, budgets }) =>
    counters.duplicates - countersAtGrant.duplicates >=
    budgets.maxDuplicateAttempts +
      Math.floor((counters.cycles - countersAtGrant.cycles) / CYCLES_PER_EXTRA_DUPLICATE),
  () => limitNotice('duplicate_limit', 'Maximum duplicate tool call attempts exceeded.'),
);
const malformed = limitRule(
  'malformed',
  ({ counters, countersAtGrant, budgets }) =>
    counters.malformed - countersAtGrant.malformed >= budgets.maxMalformedCalls,
  () => limitNotice('malformed_limit', 'Maximum malformed tool calls reached.'),
);
const refusals = limitRule(
  'refusals',
  ({ counters, countersAtGrant, budgets }) =>
    counters.refusals - countersAtGrant.refusals >= budgets.maxRefusals,
  () => limitNotice('refusal_limit', 'Maximum refused tool calls reached.'),
);
const cycles = limitRule(
  'cycles',
  ({ counters, budgets }) => counters.cycles >= budgets.maxPhaseCycles,
  ({ maxPhaseCycles }) =>
    limitNotice('cycle_limit', `Maximum tool execution cycles (${maxPhaseCycles}) reached.`),
);
const noProgress = limitRule(
  'no_progress',
  ({ counters, countersAtGrant, budgets }) =>
    counters.noProgressPoints - Math.max(counters.idlePointsCleared, countersAtGrant.noProgressPoints) >=
    budgets.maxNoProgress,
  () => limitNotice('no_progress', 'Tool calls bring no new results.'),
);
const time = limitRule(
  'time',
  ({ counters, countersAtGrant, budgets, elapsedMs }) =>
    counters.timeCuts > countersAtGrant.timeCuts || elapsedMs >= budgets.maxTurnMs,
  () => limitNotice('time_limit', 'Maximum turn time reached.'),
);
const tokens: StopRule = ({ counters, budgets }) =>
  counters.tokenCuts > 0 || counters.tokens >= budgets.maxTurnTokens
    ? { reason: 'tokens', forcesAnswer: false, notice: TOKEN_LIMIT }
    : undefined;
const cost: StopRule = ({ counters }) =>
  counters.costCuts > 0 ? { reason: 'cost', forcesAnswer: false, notice: COST_LIMIT } : undefined;
const repetition: StopRule = ({ counters }) =>
  counters.repetitions > 0 ? { reason: 'repetition', forcesAnswer: false } : undefined;

/**
 * The limits of a two-stage turn in the order of precedence: when several are reached at once, the first is the reason.
 */
export const TWO_STAGE_RULES: readonly StopRule[] = [
  duplicates,
  malformed,
  refusals,
  cycles,
  noProgress,
  time,
  tokens,
  cost,
  repetition,
];

/** The rules about calls that were not run. If a refusal reaches its limit, only the limit's message mentions it. */
export const REFUSAL_RULES = { duplicates, malformed, refusals } as const satisfies Partial<
  Record<keyof TurnCounters, StopRule>
>;

/**
 * The limits of a turn of any protocol, in the order of precedence. A standard turn has no others, apart from its limit
 * of model calls.
 */
export const SHARED_RULES: readonly StopRule[] = [time, tokens, cost, repetition];

/** The rules that end a turn without another model call. */
export const FINAL_RULES: readonly StopRule[] = [tokens, cost, repetition];

/** Returns the first limit of `rules` that is reached. Returns undefined when the turn may continue. */
export const firstLimit = (rules: readonly StopRule[], facts: StopFacts): TurnLimit | undefined => {
  for (const rule of rules) {
    const limit = rule(facts);
    if (limit) return limit;
  }
  return undefined;
};
