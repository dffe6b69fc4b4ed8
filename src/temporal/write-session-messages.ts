import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type {
  FinalizeRequest,
  SessionEnded,
  SessionHold,
  SessionTouch,
  FinalizeOutcome,
} from '../contracts/write-session/session-messages.ts';
import type { SessionStatus } from '../contracts/write-session/write-session.ts';

/** Commits a session and returns the outcome. With the same update id, a repeat is the same finalize. */
export const finalizeUpdate = defineUpdate<FinalizeOutcome, [FinalizeRequest]>('finalize');

/** Commits a session and returns nothing, for people and scripts: `temporal workflow signal --name finalize`. */
export const finalizeSignal = defineSignal<[FinalizeRequest?]>('finalize');

/**
 * Notes activity, so that the session expires later. If a `draft` is given, a finalize without content commits it from
 * then on.
 */
export const touchSignal = defineSignal<[SessionTouch?]>('touch');

/** Holds a session while its turn asks a person, so that the session does not expire meanwhile. */
export const holdSignal = defineSignal<[SessionHold]>('hold');

/** Ends the session without a commit, as Temporal's own Cancel does. */
export const cancelSessionSignal = defineSignal('cancel');

/** Returns the stage of a write session. */
export const sessionStatusQuery = defineQuery<SessionStatus>('sessionStatus');

/** Tells the turn that began a session, by the session's id, that a client's finalize has failed at its commit. */
export const clientFinalizeFailedSignal = defineSignal<[string]>('clientFinalizeFailed');

/** Tells the workflow of the turn that began a session that the session has ended. */
export const writeSessionEndedSignal = defineSignal<[SessionEnded]>('writeSessionEnded');
