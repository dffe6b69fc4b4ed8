import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { firstLimit, FINAL_RULES } from './stop-policy.ts';
import type { Turn } from './turn.ts';

/** `error` of the result of a call that was not run, because a message of the user came first. */
export const NOT_RUN_INTERRUPTED = 'Not run: the user interrupted.';

/**
 * Gives the model the messages that users have sent since the last call, unless no message can reach it any longer.
 * Each message is also a grant, and earlier tool calls may run again, as in a new turn. Returns true if it gave the
 * model a message.
 */
export const applySteers = function* (turn: Turn): Generator<TurnEvent, boolean, undefined> {
  const { steers } = turn.context;
  if (!steers || !canBeSteered(turn)) return false;
  const { hasEndedWork } = turn.interrupts;
  const newSteers = steers.take();
  turn.interrupts.noteRead();
  for (const { messageId, content, by, at, when } of newSteers) {
    turn.meter.grant({ addsTime: false });
    turn.forgetCalls();
    turn.addMessage({ role: 'user', content });
    turn.trace({ type: 'steer', source: 'user', summary: `message ${messageId} (${when})` });
    yield { type: 'steer', messageId, content, by, at, interrupted: hasEndedWork && when === 'now' };
  }
  return newSteers.length > 0;
};

/** Reports whether a message waits that the model can still read. The turn must then not end yet. */
export const hasPendingSteers = (turn: Turn): boolean =>
  turn.context.steers?.hasPending === true && canBeSteered(turn);

/**
 * Closes the turn to new messages if none waits that the model can still read. Returns false if one waits: the turn
 * must then continue. If no message can reach the model any longer, returns true and leaves the closing to the end of
 * the turn.
 */
export const concludeUnlessSteered = (turn: Turn): boolean =>
  !canBeSteered(turn) || (turn.context.steers?.conclude() ?? true);

/**
 * Reports whether messages of the user can still reach the model. They cannot after a cancel, after a limit that allows
 * no further model call (`FINAL_RULES`), or once as many late answers were forced as a turn may have.
 */
const canBeSteered = (turn: Turn): boolean =>
  !turn.isCancelled &&
  turn.meter.counters.lateAnswers < (turn.context.config.maxLateAnswers ?? Infinity) &&
  firstLimit(FINAL_RULES, turn.meter.stopFacts) === undefined;
