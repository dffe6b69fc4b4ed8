import { MAX_ANSWER_TOKENS } from '../contracts/model/model-message.ts';
import type { FinishedSummary, EarlierTurn } from '../db/conversations/branch.ts';

/** The limits on a prompt, or on the earlier turns in it. */
export interface WindowLimits {
  readonly tokens: number;
  /** Largest number of messages that the earlier turns may have together. Undefined means any number. */
  readonly messages: number | undefined;
}

/** The limits on all prompts, with the context windows of the models. */
export interface PromptWindow extends WindowLimits {
  /** Largest number of tokens of prompt and answer together, by model. Absent if no model's window is known. */
  readonly contextWindows?: ReadonlyMap<string, number>;
}

/**
 * Returns the limits of a model's prompts: never more tokens than its context window holds beside the longest answer.
 */
export const windowOfModel = ({ contextWindows, ...limits }: PromptWindow, model: string): WindowLimits => {
  const room = (contextWindows?.get(model) ?? Infinity) - MAX_ANSWER_TOKENS;
  return { ...limits, tokens: Math.max(0, Math.min(limits.tokens, room)) };
};

type SizedTurn = Pick<EarlierTurn, 'turnId' | 'tokens' | 'messageCount' | 'summaryTokens'>;

/** The earlier turns that stay in a prompt, and the summary of those before them. */
interface ChosenWindow {
  /** Number of turns that stay, the newest ones. */
  readonly kept: number;
  /** The summary with which the prompt begins. Null if there is none. */
  readonly summary: FinishedSummary | null;
}

/**
 * Chooses which of the earlier turns, newest first, stay in the prompt (docs/context.md "Window"). `before` is the
 * summary with which the previous prompt began.
 *
 * - While all turns fit, together with `before`, all stay. The beginning of the prompt is then the same from turn to
 *   turn.
 * - Otherwise whole turns are left out until at most half of the limits is used, so that the beginning changes only
 *   once in many turns.
 * - If a finished summary permits, the prompt then begins with the first turn after that summary.
 */
export const turnsInWindow = (
  turns: readonly SizedTurn[],
  { tokens, messages = Infinity }: WindowLimits,
  before: FinishedSummary | null,
): ChosenWindow => {
  const room = tokens - (before?.tokens ?? 0);
  if (countWithin(turns, room, messages) === turns.length) return { kept: turns.length, summary: before };
  const half = { tokens: Math.floor(tokens / 2), messages: Math.floor(messages / 2) };
  const ready = turns.flatMap(({ turnId, summaryTokens }, kept) =>
    summaryTokens === null ? [] : [{ kept, summary: { turnId, tokens: summaryTokens } }],
  );
  // Among the summaries after which all turns fit, this one leaves the most turns in the prompt.
  const fitting = ready.findLast(
    ({ kept, summary }) => countWithin(turns, half.tokens - summary.tokens, half.messages) >= kept,
  );
  if (fitting) return fitting;
  // Without such a summary, as many turns stay as fit. The summary is then the newest summary that covers only left-out
  // turns, or otherwise `before`.
  const newest = ready.at(0)?.summary ?? before;
  const kept = countWithin(turns, half.tokens - (newest?.tokens ?? 0), half.messages);
  return { kept, summary: ready.find((one) => one.kept >= kept)?.summary ?? before };
};

/** The share of a window beyond which a summary is begun. */
const SUMMARISE_ABOVE = 0.7;
/**
 * The share of a window that the turns of one summary fill at least, if there are enough turns. It is more than half,
 * so that at most half is used when the anchor moves, although turns are added until then.
 */
const SUMMARISED_SHARE = 0.6;

/**
 * Returns the newest of the turns that the next summary should cover. `turns` are given newest first. Returns undefined
 * while the window is not full enough, and when a finished summary covers one of the turns.
 */
export const lastToSummarise = (
  turns: readonly SizedTurn[],
  { tokens, messages = Infinity }: WindowLimits,
  before: FinishedSummary | null,
): string | undefined => {
  if (turns.some(({ summaryTokens }) => summaryTokens !== null)) return undefined;
  const share = (of: readonly SizedTurn[], more = 0): number =>
    Math.max(
      (of.reduce((sum, turn) => sum + turn.tokens, 0) + more) / tokens,
      of.reduce((sum, turn) => sum + turn.messageCount, 0) / messages,
    );
  // Not `<=`, because a share of 0 / 0 tokens is NaN.
  if (!(share(turns, before?.tokens) > SUMMARISE_ABOVE)) return undefined;
  const first = turns.findLastIndex((_turn, i) => share(turns.slice(i)) >= SUMMARISED_SHARE);
  return turns[Math.max(first, 0)]?.turnId;
};

const countWithin = (turns: readonly SizedTurn[], tokens: number, messages: number): number => {
  const remaining = { tokens, messages };
  const beyond = turns.findIndex((turn) => {
    remaining.tokens -= turn.tokens;
    remaining.messages -= turn.messageCount;
    return remaining.tokens < 0 || remaining.messages < 0;
  });
  return beyond < 0 ? turns.length : beyond;
};
