import type { DoneReason, TurnEvent } from '../../contracts/wire/turn-event.ts';
import { runActionPhase } from './model-call.ts';
import type { ModelAnswer } from '../ports/model-port.ts';
import type { TurnLimit } from './stop-policy.ts';
import { appendModelText } from './tool-report.ts';
import type { Turn } from './turn.ts';

/**
 * How a turn continues after a model call: it is over, it has tool calls to handle, or the model call was cut off by a
 * limit or by a message of the user.
 */
export type Continuation =
  | { readonly kind: 'turn_ended'; readonly reason: DoneReason }
  | { readonly kind: 'calls' }
  | { readonly kind: 'cut' };

const TRUNCATION_COUNTERS = {
  time: 'timeCuts',
  tokens: 'tokenCuts',
  cost: 'costCuts',
  repetition: 'repetitions',
} as const;

/**
 * Counts a model call that a limit has cut off or kept from being made. Returns false, and counts nothing, for any
 * other end.
 */
export const countTruncatedCall = (turn: Turn, end: ModelAnswer['end']): boolean => {
  if (end !== 'time' && end !== 'tokens' && end !== 'cost' && end !== 'repetition') return false;
  turn.meter.count(TRUNCATION_COUNTERS[end]);
  return true;
};

/**
 * Decides how the turn continues after an answer, and counts a model call that a limit has cut off. It adds the text of
 * the answer to the prompt, unless calls follow or the turn is cancelled.
 */
export const continuationAfter = (turn: Turn, { end, calls, text }: ModelAnswer): Continuation => {
  if (turn.isCancelled || end === 'cancelled') return { kind: 'turn_ended', reason: 'cancelled' };
  if (countTruncatedCall(turn, end)) {
    appendModelText(turn, text);
    return { kind: 'cut' };
  }
  if (end === 'steered' && turn.interrupts.isWaiting) {
    turn.interrupts.noteWorkEnded();
    appendModelText(turn, text);
    return { kind: 'cut' };
  }
  if (calls.length > 0) return { kind: 'calls' };
  appendModelText(turn, text);
  return { kind: 'turn_ended', reason: end === 'length' ? 'length' : 'answered' };
};

/**
 * Announces a limit and, if it forces an answer and tokens are left, makes one model call without tools. Returns the
 * reason for which the turn would end now.
 */
export const endAtLimit = async function* (
  turn: Turn,
  limit: TurnLimit,
): AsyncGenerator<TurnEvent, DoneReason, undefined> {
  if (limit.notice) yield turn.addNotice(limit.notice);
  if (!limit.forcesAnswer || turn.meter.tokensLeft === 0) return limit.reason;
  if (turn.meter.isOutOfTime) turn.meter.count('lateAnswers');
  const { end, text } = yield* runActionPhase(turn, { stopAt: 'end', tools: false });
  if (end === 'steered') turn.interrupts.noteWorkEnded();
  appendModelText(turn, text);
  return turn.isCancelled || end === 'cancelled' ? 'cancelled' : limit.reason;
};
