import { ApplicationFailure, patched } from '@temporalio/workflow';
import { SESSION_EXPIRED } from '../../src/contracts/write-session/write-session-texts.ts';
import type { TerminalEvent } from '../../src/contracts/wire/turn-event.ts';
import { type TurnOutcome, turnOutcomeOf } from '../../src/contracts/wire/turn-outcome.ts';
import type { SessionEnded } from '../../src/contracts/write-session/session-messages.ts';
import { closeAsCanceled } from './sdk-internals.ts';

/**
 * The patch since which the status of a closed workflow tells its outcome. Older code completed the workflow, whatever
 * its outcome. `patched` is called only where this makes a difference, so that a turn with an answer, or a committed
 * session, has no marker in its history.
 */
const CLOSE_STATUS_PATCH = 'status-says-the-end';

/**
 * Ends the workflow of a turn, after the row was closed. Returns the outcome if the turn has completed, and for any
 * outcome in a replay of older code. Otherwise throws: the workflow ends as Canceled, or as Failed with the error's
 * code as failure type. Nothing retries the workflow, because it has no retry policy and the failure is marked as not
 * retryable.
 */
export const endTurn = (terminal: TerminalEvent): TurnOutcome => {
  const outcome = turnOutcomeOf(terminal);
  if (outcome.status === 'completed' || !patched(CLOSE_STATUS_PATCH)) return outcome;
  if (terminal.type === 'error') {
    throw ApplicationFailure.create({
      message: terminal.message,
      type: terminal.code,
      nonRetryable: true,
      details: [outcome],
    });
  }
  return closeAsCanceled();
};

/**
 * Ends the workflow of a write session. Returns the end if the session was committed, and any end in a replay of older
 * code. Otherwise throws: the workflow ends as Canceled, or as Failed if the session has expired, since its file was
 * not written.
 */
export const endSession = (ended: SessionEnded): SessionEnded => {
  if (ended.end === 'committed' || !patched(CLOSE_STATUS_PATCH)) return ended;
  if (ended.end === 'cancelled') return closeAsCanceled();
  throw ApplicationFailure.create({
    message: SESSION_EXPIRED,
    type: 'session_expired',
    nonRetryable: true,
    details: [ended],
  });
};
