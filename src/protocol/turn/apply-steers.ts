import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { firstLimit, FINAL_RULES } from './stop-policy.ts';
import type { Turn } from './turn.ts';

/** The result of a call that was not run because of the user's message, for the model and for events. */
export const NOT_RUN = 'Not run: the user interrupted.';

/**
 * True when messages of the user can still reach the model. They cannot after a cancel, without a token left, or once
 * the time is over for the last of the answers that it may still be forced to.
 */
const canBeSteered = (turn: Turn): boolean =>
  !turn.cancelled &&
  turn.lateAnswers < (turn.context.config.maxLateAnswers ?? Infinity) &&
  firstLimit(FINAL_RULES, turn.stopView) === undefined;

/**
 * Puts what users have said meanwhile before the model, which it is a grant to: what was in vain counts from here, and
 * calls of before may run again, as in a new turn. True when there was something.
 */
export const applySteers = function* (turn: Turn): Generator<TurnEvent, boolean, undefined> {
  const { steers } = turn.context;
  if (!steers || !canBeSteered(turn)) return false;
  const { interrupted } = turn;
  const taken = steers.take();
  turn.interrupted = false;
  for (const { messageId, content, by, at, when } of taken) {
    turn.grant({ moreTime: false });
    turn.forgetCalls();
    turn.messages.push({ role: 'user', content });
    turn.trace({ type: 'steer', source: 'user', summary: `message ${messageId} (${when})` });
    yield { type: 'steer', messageId, content, by, at, interrupted: interrupted && when === 'now' };
  }
  return taken.length > 0;
};

/** Somebody has said something that the model can still read: the turn is looked at again. */
export const isSteered = (turn: Turn): boolean => turn.context.steers?.waiting === true && canBeSteered(turn);

/** The turn would end: true when nobody has said anything meanwhile, and nobody can any more. */
export const mayConclude = (turn: Turn): boolean =>
  !canBeSteered(turn) || (turn.context.steers?.conclude() ?? true);
