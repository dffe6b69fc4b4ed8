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

/** Notes activity: the session expires later. `draft`: what a finalize without content commits from now on. */
export const touchSignal = defineSignal<[SessionTouch?]>('touch');

/** Holds a session while its turn asks a person: until then the session does not expire. */
export const holdSignal = defineSignal<[SessionHold]>('hold');

/** Ends the session without a commit; Temporal's own Cancel does the same. */
export const cancelSessionSignal = defineSignal('cancel');

/** Query for where a write session stands. */
export const sessionStatusQuery = defineQuery<SessionStatus>('sessionStatus');

/** Tells the turn that began a session, by the session's id, that a finalize from outside failed at its commit. */
export const clientFinalizeFailedSignal = defineSignal<[string]>('clientFinalizeFailed');

/** Tells the workflow of the turn that began a session that the session has ended. */
export const writeSessionEndedSignal = defineSignal<[SessionEnded]>('writeSessionEnded');
