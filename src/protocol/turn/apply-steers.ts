import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { firstLimit, FINAL_RULES } from './stop-policy.ts';
import type { Turn } from './turn.ts';

/** The result of a call that was not run because of the user's message, for the model and for events. */
export const NOT_RUN_INTERRUPTED = 'Not run: the user interrupted.';

/**
 * Tells if messages of the user can still reach the model. They cannot after a cancel, without a token left, or once
 * the time is over for the last answer that may still be forced.
 */
const canBeSteered = (turn: Turn): boolean =>
  !turn.isCancelled &&
  turn.lateAnswers < (turn.context.config.maxLateAnswers ?? Infinity) &&
  firstLimit(FINAL_RULES, turn.stopInput) === undefined;

/**
 * Puts before the model what users have said meanwhile. This is also a grant: what was in vain counts from here, and
 * earlier calls may run again, as in a new turn. Returns true when there was something.
 */
export const applySteers = function* (turn: Turn): Generator<TurnEvent, boolean, undefined> {
  const { steers } = turn.context;
  if (!steers || !canBeSteered(turn)) return false;
  const { wasSteeredAway } = turn;
  const taken = steers.take();
  turn.wasSteeredAway = false;
  for (const { messageId, content, by, at, when } of taken) {
    turn.grant({ addsTime: false });
    turn.forgetCalls();
    turn.messages.push({ role: 'user', content });
    turn.trace({ type: 'steer', source: 'user', summary: `message ${messageId} (${when})` });
    yield { type: 'steer', messageId, content, by, at, interrupted: wasSteeredAway && when === 'now' };
  }
  return taken.length > 0;
};

/** Tells if somebody has said something that the model can still read: the turn is then looked at again. */
export const hasUnreadSteers = (turn: Turn): boolean =>
  turn.context.steers?.hasPending === true && canBeSteered(turn);

/** Tells if the turn may end, because no message has come meanwhile. From then on none can come. */
export const concludeUnlessSteered = (turn: Turn): boolean =>
  !canBeSteered(turn) || (turn.context.steers?.conclude() ?? true);
