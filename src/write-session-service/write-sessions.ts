import type {
  ContentRef,
  FinalizeOutcome,
  SessionStage,
  SessionStatus,
  WriteOperation,
} from '../contracts/write-session.ts';
import type { HoldingSession } from '../db/write-session-insert.ts';
import type { WriteSessionRow } from '../db/write-session-row.ts';
import type { UndoOutcome } from '../files/commit/undo.ts';
import { beginSession } from './begin-session.ts';
import type { BeginDeps } from './begin-session.ts';
import { cancelSession } from './cancel-session.ts';
import { finalizeSession, type FinalizeCall } from './finalize-session.ts';
import { touchSession } from './touch-session.ts';
import { viewSession } from './view-session.ts';

export interface BeginRequest {
  /** UUID v4, drawn by the caller: the same id again is the same begin. */
  readonly sessionId: string;
  readonly projectId: string;
  readonly targetFile: string;
  readonly operation: WriteOperation;
  readonly intent: string;
  /** Name of the API key whose slot it takes; absent: that of the turn's. */
  readonly owner?: string | undefined;
  /** The turn that begins it; its workflow is told the end. */
  readonly turnId?: string;
  /** Milliseconds of silence after which it expires; absent: the configured ones. */
  readonly inactivityMs?: number;
}

/**
 * `begun`: also for a repeat, whatever has become of the session (see `row.stage`). `conflict`: another session has
 * the target, or others all slots of the owner. `invalid`: the target may not be written, for the reason given.
 */
export type BeginOutcome =
  | { readonly kind: 'begun'; readonly row: WriteSessionRow; readonly expiresAt: number }
  | BeginConflict
  | { readonly kind: 'invalid'; readonly reason: string };

export interface BeginConflict {
  readonly kind: 'conflict';
  readonly lock: 'target' | 'slots';
  /**
   * The one least lately looked after first; empty while the target's last write is being undone. Of any project: not
   * to be shown without asking.
   */
  readonly holders: readonly HoldingSession[];
  /** Slots of one owner. */
  readonly maxConcurrent: number;
}

/** `status` only while the session is open. */
export interface SessionView {
  readonly row: WriteSessionRow;
  readonly status?: SessionStatus;
}

/** `ended`: it had ended before, or was committed while the cancel was under way. */
export type CancelOutcome =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'ended'; readonly stage: SessionStage }
  | { readonly kind: 'not_found' };

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
   * Callers send at most one per tenth of the timeout (each is an event of the history); an ended session ignores it.
   */
  touch(sessionId: string, draft?: ContentRef): Promise<void>;
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
