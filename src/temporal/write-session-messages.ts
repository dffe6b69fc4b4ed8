import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type {
  FinalizeRequest,
  SessionEnded,
  SessionHold,
  SessionTouch,
  FinalizeOutcome,
  SessionStatus,
} from '../contracts/write-session.ts';

/** Commits and answers what came of it; the update id makes a repeat the same finalize. */
export const finalizeUpdate = defineUpdate<FinalizeOutcome, [FinalizeRequest]>('finalize');

/** A finalize without an answer, for people and scripts: `temporal workflow signal --name finalize`. */
export const finalizeSignal = defineSignal<[FinalizeRequest?]>('finalize');

/** Activity: the session expires later. `draft`: what a finalize without content commits from now on. */
export const touchSignal = defineSignal<[SessionTouch?]>('touch');

/** Told by its turn's request, before anybody is asked: until then the session does not expire. */
export const holdSignal = defineSignal<[SessionHold]>('hold');

/** Ends the session without a commit; Temporal's own Cancel does the same. */
export const cancelSessionSignal = defineSignal('cancel');

/** Query for where a write session stands. */
export const sessionStatusQuery = defineQuery<SessionStatus>('sessionStatus');

/** Sent with the session's id to the turn that began it: a finalize came from outside, and its commit failed. */
export const clientFinalizeFailedSignal = defineSignal<[string]>('clientFinalizeFailed');

/** Sent to the workflow of the turn that began the session. */
export const writeSessionEndedSignal = defineSignal<[SessionEnded]>('writeSessionEnded');
