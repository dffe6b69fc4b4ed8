import type { ContentRef } from '../contracts/write-session.ts';
import type { FinalizeOutcome } from '../contracts/payload/session-workflow.ts';
import type { UndoOutcome } from '../files/commit/undo.ts';
import { beginSession, type BeginDeps, type BeginOutcome, type BeginRequest } from './begin-session.ts';
import {
  cancelSession,
  finalizeSession,
  touchSession,
  viewSession,
  type CancelOutcome,
  type FinalizeCall,
  type SessionView,
} from './session-workflow.ts';

/**
 * Write sessions as seen from outside their workflow: gateway, tools and activities (docs/write-sessions.md). Every
 * method throws what `isTemporalUnavailable` or `isDatabaseUnavailable` know while a server cannot be reached.
 */
export interface WriteSessions {
  begin(request: BeginRequest): Promise<BeginOutcome>;
  /** Commits. Answered from the row after the end. */
  finalize(call: FinalizeCall): Promise<FinalizeOutcome | { readonly kind: 'not_found' }>;
  /** Undefined: there has never been such a session. */
  status(sessionId: string): Promise<SessionView | undefined>;
  /**
   * Tells of activity: the session expires later. With `draft`, that is what a finalize without content commits.
   * Callers send at most one per tenth of the timeout (each is an event of the history); an ended session ignores it: false.
   */
  touch(sessionId: string, draft?: ContentRef): Promise<boolean>;
  /** Resolves when the session has ended. */
  cancel(sessionId: string): Promise<CancelOutcome>;
  undo(sessionId: string): Promise<UndoOutcome>;
}

export interface WriteSessionsDeps extends BeginDeps {
  readonly committer: BeginDeps['committer'] & { undo(sessionId: string): Promise<UndoOutcome> };
}

export const createWriteSessions = (deps: WriteSessionsDeps): WriteSessions => ({
  begin: (request) => beginSession(deps, request),
  finalize: (call) => finalizeSession(deps, call),
  status: (sessionId) => viewSession(deps, sessionId),
  touch: (sessionId, draft) => touchSession(deps, sessionId, draft === undefined ? {} : { draft }),
  cancel: (sessionId) => cancelSession(deps, sessionId),
  undo: (sessionId) => deps.committer.undo(sessionId),
});
