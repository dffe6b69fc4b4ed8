import type { ContentRef } from '../contracts/write-session/write-session.ts';
import type { SessionHold, FinalizeOutcome } from '../contracts/write-session/session-messages.ts';
import type { UndoOutcome } from '../files/commit/undo.ts';
import { beginSession, type BeginDeps, type BeginOutcome, type BeginRequest } from './begin-session.ts';
import { cancelSession, type CancelOutcome } from './cancel-session.ts';
import { finalizeSession, type FinalizeCall } from './finalize-session.ts';
import { holdSession, touchSession, viewSession, type SessionView } from './session-status.ts';

/**
 * Write sessions as seen from outside their workflow: gateway, tools and activities (docs/write-sessions.md). While a
 * server that a method needs cannot be reached, the method throws an error that `isTemporalUnavailable` or
 * `isDatabaseUnavailable` recognises.
 */
export interface WriteSessions {
  /** Begins a session, or returns the session that was begun with the same id; see `beginSession`. */
  begin(request: BeginRequest): Promise<BeginOutcome>;
  /** Commits the given content, otherwise the draft. Once the session has ended, the outcome comes from its row. */
  finalize(call: FinalizeCall): Promise<FinalizeOutcome | { readonly kind: 'not_found' }>;
  /** Returns the current state of the session. Returns undefined when there is no such session. */
  readStatus(sessionId: string): Promise<SessionView | undefined>;
  /**
   * Notes activity, so that the session expires later. Returns false, without effect, if the session's workflow has
   * ended or does not exist. `draft` is what a finalize without content commits from now on. Callers send at most one
   * touch per tenth of the timeout, because each is an event of the history.
   */
  touch(sessionId: string, draft?: ContentRef): Promise<boolean>;
  /**
   * Holds a session while a person is asked about its commit, so that it does not expire before `hold.until`. Returns
   * false when the session's workflow has ended or does not exist.
   */
  hold(sessionId: string, hold: SessionHold): Promise<boolean>;
  /** Cancels the session; see `cancelSession`. Resolves when the session has ended, or when there is none. */
  cancel(sessionId: string): Promise<CancelOutcome>;
  /** Gives the target back what it held before the session's commit, as long as nobody has changed it since. */
  undo(sessionId: string): Promise<UndoOutcome>;
}

export interface WriteSessionsDeps extends BeginDeps {
  readonly committer: BeginDeps['committer'] & { undo(sessionId: string): Promise<UndoOutcome> };
}

/** Creates the service of write sessions over Temporal and Postgres. */
export const createWriteSessions = (deps: WriteSessionsDeps): WriteSessions => ({
  begin: (request) => beginSession(deps, request),
  finalize: (call) => finalizeSession(deps, call),
  readStatus: (sessionId) => viewSession(deps, sessionId),
  touch: (sessionId, draft) => touchSession(deps, sessionId, draft === undefined ? {} : { draft }),
  hold: (sessionId, hold) => holdSession(deps, sessionId, hold),
  cancel: (sessionId) => cancelSession(deps, sessionId),
  undo: (sessionId) => deps.committer.undo(sessionId),
});
