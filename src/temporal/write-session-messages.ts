import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type {
  FinalizeRequest,
  SessionEnded,
  SessionHold,
  SessionTouch,
  FinalizeOutcome,
} from '../contracts/write-session/session-messages.ts';
import type { SessionStatus } from '../contracts/write-session/write-session.ts';

/** Commits and returns the outcome; the update id makes a repeat the same finalize. */
export const finalizeUpdate = defineUpdate<FinalizeOutcome, [FinalizeRequest]>('finalize');

/** A finalize without an answer, for people and scripts: `temporal workflow signal --name finalize`. */
export const finalizeSignal = defineSignal<[FinalizeRequest?]>('finalize');

/**
 * Notes activity, so that the session expires later. `draft` is what a finalize without content commits from now on.
 */
export const touchSignal = defineSignal<[SessionTouch?]>('touch');

/** Holds a session while its turn asks a person. Until then the session does not expire. */
export const holdSignal = defineSignal<[SessionHold]>('hold');

/** Ends the session without a commit, as Temporal's own Cancel does. */
export const cancelSessionSignal = defineSignal('cancel');

/** Returns the stage of a write session. */
export const sessionStatusQuery = defineQuery<SessionStatus>('sessionStatus');

/** Tells the turn that began a session, by the session's id, that a finalize from outside failed at its commit. */
export const clientFinalizeFailedSignal = defineSignal<[string]>('clientFinalizeFailed');

/** Tells the workflow of the turn that began a session that the session has ended. */
export const writeSessionEndedSignal = defineSignal<[SessionEnded]>('writeSessionEnded');
