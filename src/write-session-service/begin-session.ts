import type { WriteOperation } from '../contracts/write-session/write-session.ts';
import type { WriteSessionInput } from '../contracts/payload/session-workflow-payloads.ts';
import type { BlockingSession, SessionInsertOutcome } from '../db/write-sessions/write-session-insert.ts';
import type { WriteSessionRow } from '../db/write-sessions/write-session-row.ts';
import { WorkspaceError } from '../files/workspace/workspace-error.ts';
import { reconcileSession, startSession } from './reconcile-session.ts';
import type { SessionDeps } from './session-deps.ts';

/**
 * Largest number of sessions that are reconciled because they hold the target or slots. Each costs the caller at least
 * one call to Temporal.
 */
const MAX_RECONCILED_HOLDERS = 10;

/** A write session to begin: its id, project and target, and what is to be done with the target. */
export interface BeginRequest {
  /**
   * A UUID that the caller chose: random, or made from an idempotency key. A begin with the same id is the same begin.
   */
  readonly sessionId: string;
  readonly projectId: string;
  readonly targetFile: string;
  readonly operation: WriteOperation;
  readonly intent: string;
  /** Name of the API key whose slot the session takes. Absent means the key of the turn. */
  readonly owner?: string | undefined;
  /** The turn that begins the session. Its workflow is notified of the end. */
  readonly turnId?: string;
  /** Set when a person is asked before the session's commit. */
  readonly needsApproval?: true;
  /** Time in milliseconds without activity after which the session expires. Absent means the configured time. */
  readonly inactivityMs?: number;
}

/**
 * The result of beginning a session.
 *
 * - `begun`: the session exists. A repeat gets this, too, whatever has become of the session (see `row.stage`).
 *   `expiresAt` is the time of its expiry without further activity, in milliseconds since 1970.
 * - `conflict`: another session has the target, or other sessions have all slots of the owner.
 * - `invalid`: the target may not be written, for the reason given.
 */
export type BeginOutcome =
  | { readonly kind: 'begun'; readonly row: WriteSessionRow; readonly expiresAt: number }
  | BeginConflict
  | { readonly kind: 'invalid'; readonly reason: string };

/** The reason why a session cannot begin. */
export interface BeginConflict {
  readonly kind: 'conflict';
  readonly lock: 'target' | 'slots';
  /**
   * The sessions that hold the target or the slots, those first that a sweeper claimed longest ago. Empty if the
   * target's last write is being undone, or after a race (`SessionInsertOutcome`). They may belong to any project, so
   * they must not be shown without a check.
   */
  readonly holders: readonly BlockingSession[];
  /** Number of slots of one owner (`SessionLock`). */
  readonly maxConcurrent: number;
}

export interface BeginDeps extends SessionDeps {
  readonly settings: { readonly inactivityTimeoutMs: number; readonly maxConcurrent: number };
  /** Reports whether the namespace has Orion's search attributes. Throws while Temporal cannot be reached. */
  readonly hasSearchAttributes: () => Promise<boolean>;
  /** Returns one key for all names of a file, over all projects. Throws WorkspaceError for what may not be written. */
  readonly resolveTargetKey: (projectId: string, targetFile: string) => Promise<string>;
}

/**
 * Begins a session: inserts its row, which takes its locks, then starts its workflow (docs/write-sessions.md). If locks
 * are taken, reconciles the sessions that hold them, and tries once more if that has closed one. Throws while Temporal
 * or Postgres cannot be reached.
 */
export const beginSession = async (deps: BeginDeps, request: BeginRequest): Promise<BeginOutcome> => {
  const key = await resolveKey(deps, request);
  if (key instanceof WorkspaceError) return { kind: 'invalid', reason: key.message };
  const input = inputOf(deps, request, await deps.hasSearchAttributes());
  const { maxConcurrent } = deps.settings;
  const lock = { targetKey: key, owner: request.owner, maxConcurrent };
  const insert = () => deps.repository.insert(input, lock);
  let outcome = await insert();
  if (outcome.kind === 'busy' && (await closeEndedSessions(deps, outcome))) outcome = await insert();
  switch (outcome.kind) {
    case 'inserted':
      return start(deps, outcome.row);
    case 'exists':
      // The begin before may have died between insert and start.
      if (outcome.row.state !== 'ended') await startSession(deps, outcome.row);
      return begunOutcome((await deps.repository.find(request.sessionId)) ?? outcome.row);
    case 'busy':
      return { kind: 'conflict', lock: outcome.lock, holders: outcome.rows, maxConcurrent };
    default:
      return outcome satisfies never;
  }
};

const resolveKey = async (
  { resolveTargetKey }: BeginDeps,
  { projectId, targetFile }: BeginRequest,
): Promise<string | WorkspaceError> => {
  try {
    return await resolveTargetKey(projectId, targetFile);
  } catch (error) {
    if (error instanceof WorkspaceError) return error;
    throw error;
  }
};

const inputOf = (
  { settings }: BeginDeps,
  { inactivityMs, owner: _owner, ...request }: BeginRequest,
  hasAttributes: boolean,
): WriteSessionInput => ({
  revision: 1,
  ...request,
  inactivityTimeoutMs: inactivityMs ?? settings.inactivityTimeoutMs,
  searchAttributes: hasAttributes,
});

/**
 * Reconciles the sessions that hold the target or the slots, which closes those whose workflow has ended without
 * closing them. Reports whether one was closed.
 */
const closeEndedSessions = async (
  deps: BeginDeps,
  { rows }: Extract<SessionInsertOutcome, { kind: 'busy' }>,
): Promise<boolean> => {
  const holders = rows.slice(0, MAX_RECONCILED_HOLDERS);
  const results = await Promise.all(holders.map((row) => reconcileSession(deps, row)));
  return results.includes('closed_here');
};

/**
 * Starts the session's workflow. If that fails, the begin of a client over HTTP is taken back, since the client does
 * not know the session's id. A turn knows it and asks again.
 */
const start = async (deps: BeginDeps, row: WriteSessionRow): Promise<BeginOutcome> => {
  try {
    await startSession(deps, row);
    return begunOutcome(row);
  } catch (error) {
    if (row.turnId === null) {
      // If this fails, too, a sweeper ends the session later.
      await deps.repository.end(row.sessionId, 'cancelled').catch(() => undefined);
    }
    throw error;
  }
};

const begunOutcome = (row: WriteSessionRow): BeginOutcome => ({
  kind: 'begun',
  row,
  expiresAt: row.startedAt.getTime() + row.input.inactivityTimeoutMs,
});
