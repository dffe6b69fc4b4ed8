import { sql, type UpdateObject } from 'kysely';
import type { CommitPlan } from '../../contracts/payload/session-activity-payloads.ts';
import type { ContentRef, SessionEnd } from '../../contracts/write-session/write-session.ts';
import type { CommitOutcome, CommitFailure } from '../../contracts/write-session/session-messages.ts';
import type { WriteSessionInput } from '../../contracts/payload/session-workflow-payloads.ts';
import type { Database } from '../connection/database.ts';
import { createWithFreeTarget, type WithFreeTarget } from '../claims/free-target.ts';
import type { DatabaseSchema } from '../tables/schema.ts';
import type { ClaimOptions } from '../claims/sweep-claim.ts';
import { insertWriteSession, type SessionInsertOutcome, type SessionLock } from './write-session-insert.ts';
import { findWriteSession, toWriteSessionRow, type WriteSessionRow } from './write-session-row.ts';
import {
  claimOpenSessions,
  type ListedSession,
  listProjectSessions,
  listSessionsWithoutSlot,
} from './write-session-lists.ts';

/** Thrown when there is no row with a session's id. Trying again does not help. */
export class UnknownSessionError extends Error {
  override readonly name = 'UnknownSessionError';

  constructor(sessionId: string) {
    super(`There is no write session "${sessionId}" in the database.`);
  }
}

/** The result of ending a session, which happens once. */
export interface SessionEndOutcome {
  /** True when this call ended the session. False when it had ended before. */
  readonly isEndedHere: boolean;
  /** The row after the call, with the end that was written first. */
  readonly row: WriteSessionRow;
}

/** Reads and changes rows of write sessions. The row of a session is also its lock (docs/write-sessions.md). */
export interface WriteSessionRepository {
  /** Inserts a session, which takes its locks (see `insertWriteSession`). */
  insert(input: WriteSessionInput, lock: SessionLock): Promise<SessionInsertOutcome>;
  /** Reads a session. Returns undefined for an unknown session. */
  find(sessionId: string): Promise<WriteSessionRow | undefined>;
  /** Lists sessions of a project, newest first. */
  list(projectId: string, limit: number): Promise<ListedSession[]>;
  /**
   * Stores the first run id that it is given for a session. Resolves to the stored run id, or to undefined for an
   * unknown session.
   */
  setRunId(sessionId: string, runId: string): Promise<string | undefined>;
  /** Frees the slot of a session that has not ended. The session keeps its target. */
  freeSlot(sessionId: string): Promise<void>;
  /**
   * Returns the ids of the sessions without a slot that have not ended. They are held while a person is asked about
   * their commit.
   */
  listWithoutSlot(): Promise<string[]>;
  /**
   * Begins the next attempt to write. A row without a run id gets `runId`. Returns undefined unless the session is open
   * and its run id is `runId`.
   */
  beginAttempt(sessionId: string, runId: string): Promise<WriteSessionRow | undefined>;
  /**
   * Stores what an attempt is about to do. Returns undefined, and changes nothing, unless the session is open and this
   * is its newest attempt.
   */
  storePlan(sessionId: string, attempt: number, plan: CommitPlan): Promise<WriteSessionRow | undefined>;
  /** Stores why an attempt has failed, and removes its plan. Returns undefined as `storePlan` does. */
  failAttempt(
    sessionId: string,
    attempt: number,
    failure: CommitFailure,
  ): Promise<WriteSessionRow | undefined>;
  /** Ends the session of an attempt that has written `content`. Returns undefined as `storePlan` does. */
  endCommitted(sessionId: string, attempt: number, content: ContentRef): Promise<WriteSessionRow | undefined>;
  /**
   * Lets no attempt begin to write from now on, while slot and target stay locked. Returns the row, which is unchanged
   * if the session has ended. Throws UnknownSessionError.
   */
  markClosing(sessionId: string): Promise<WriteSessionRow>;
  /** Ends a session. The first end wins. Throws UnknownSessionError. */
  end(sessionId: string, stage: SessionEnd, outcome?: CommitOutcome): Promise<SessionEndOutcome>;
  /**
   * Claims sessions that have not ended, are at least `olderThanMs` milliseconds old, and were claimed by no sweeper
   * for `CLAIM_INTERVAL`, longest overdue first. For the same time, no other sweeper gets these rows.
   */
  claimOpen(options: ClaimOptions): Promise<WriteSessionRow[]>;
  /** Runs `work` while nobody else may write a target. Returns undefined, without running it, if one may. */
  readonly withFreeTarget: WithFreeTarget;
  /** Notes that a commit was undone. Returns undefined when that was noted before, or when there was no commit. */
  markUndone(sessionId: string): Promise<WriteSessionRow | undefined>;
}

/** Creates the repository of write sessions in Postgres (`write_sessions`). */
export const createWriteSessionRepository = (db: Database): WriteSessionRepository => ({
  insert: (...args) => insertWriteSession(db, ...args),
  find: (sessionId) => findWriteSession(db, sessionId),
  list: (projectId, limit) => listProjectSessions(db, projectId, limit),
  setRunId: (sessionId, runId) => setRunId(db, sessionId, runId),
  freeSlot: async (sessionId) => {
    const update = db.updateTable('write_sessions').where('session_id', '=', sessionId);
    await update.set({ slot: null }).where('state', '<>', 'ended').execute();
  },
  listWithoutSlot: () => listSessionsWithoutSlot(db),
  beginAttempt: (sessionId, runId) => beginAttempt(db, sessionId, runId),
  storePlan: (sessionId, attempt, plan) =>
    updateByNewest(db, sessionId, attempt, { plan: JSON.stringify(plan) }),
  failAttempt: (sessionId, attempt, failure) =>
    updateByNewest(db, sessionId, attempt, {
      outcome: JSON.stringify(failure),
      plan: null,
      stage: 'awaiting_content',
    }),
  endCommitted: (sessionId, attempt, content) =>
    updateByNewest(db, sessionId, attempt, endedColumns('committed', { kind: 'committed', content })),
  markClosing: (sessionId) => markClosing(db, sessionId),
  end: (sessionId, stage, outcome) => end(db, sessionId, stage, outcome),
  claimOpen: (options) => claimOpenSessions(db, options),
  withFreeTarget: createWithFreeTarget(db),
  markUndone: (sessionId) => markUndone(db, sessionId),
});

const setRunId = async (db: Database, sessionId: string, runId: string): Promise<string | undefined> => {
  const row = await db
    .updateTable('write_sessions')
    .set(({ fn, val }) => ({ run_id: fn.coalesce('run_id', val(runId)) }))
    .where('session_id', '=', sessionId)
    .returning('run_id')
    .executeTakeFirst();
  return row?.run_id ?? undefined;
};

/** Simultaneous attempts queue up on the row, and each gets its own number. */
const beginAttempt = async (
  db: Database,
  sessionId: string,
  runId: string,
): Promise<WriteSessionRow | undefined> => {
  const row = await db
    .updateTable('write_sessions')
    .set(({ eb, fn, val }) => ({
      fence: eb('fence', '+', 1),
      run_id: fn.coalesce('run_id', val(runId)),
      stage: 'committing',
    }))
    .where('session_id', '=', sessionId)
    .where('state', '=', 'open')
    .where(({ or, eb }) => or([eb('run_id', 'is', null), eb('run_id', '=', runId)]))
    .returningAll()
    .executeTakeFirst();
  return row && toWriteSessionRow(row);
};

/** Makes a change that only the newest attempt of an open session may make. Returns undefined for any other attempt. */
const updateByNewest = async (
  db: Database,
  sessionId: string,
  attempt: number,
  change: UpdateObject<DatabaseSchema, 'write_sessions'>,
): Promise<WriteSessionRow | undefined> => {
  const row = await db
    .updateTable('write_sessions')
    .set(change)
    .where('session_id', '=', sessionId)
    .where('state', '=', 'open')
    .where('fence', '=', attempt)
    .returningAll()
    .executeTakeFirst();
  return row && toWriteSessionRow(row);
};

const markClosing = async (db: Database, sessionId: string): Promise<WriteSessionRow> => {
  const row = await db
    .updateTable('write_sessions')
    .set({ state: 'closing' })
    .where('session_id', '=', sessionId)
    .where('state', '<>', 'ended')
    .returningAll()
    .executeTakeFirst();
  return row ? toWriteSessionRow(row) : loadRow(db, sessionId);
};

const end = async (
  db: Database,
  sessionId: string,
  stage: SessionEnd,
  outcome: CommitOutcome | undefined,
): Promise<SessionEndOutcome> => {
  const row = await db
    .updateTable('write_sessions')
    .set(endedColumns(stage, outcome))
    .where('session_id', '=', sessionId)
    .where('state', '<>', 'ended')
    .returningAll()
    .executeTakeFirst();
  if (row) return { isEndedHere: true, row: toWriteSessionRow(row) };
  return { isEndedHere: false, row: await loadRow(db, sessionId) };
};

const endedColumns = (stage: SessionEnd, outcome?: CommitOutcome) =>
  ({
    state: 'ended',
    stage,
    ended_at: sql<Date>`clock_timestamp()`,
    ...(outcome && { outcome: JSON.stringify(outcome) }),
  }) as const;

/** Returns the current row when a change did not find it in the expected state. Throws UnknownSessionError. */
const loadRow = async (db: Database, sessionId: string): Promise<WriteSessionRow> => {
  const row = await findWriteSession(db, sessionId);
  if (!row) throw new UnknownSessionError(sessionId);
  return row;
};

const markUndone = async (db: Database, sessionId: string): Promise<WriteSessionRow | undefined> => {
  const row = await db
    .updateTable('write_sessions')
    .set({ undone_at: sql<Date>`clock_timestamp()` })
    .where('session_id', '=', sessionId)
    .where('state', '=', 'ended')
    .where('stage', '=', 'committed')
    .where('undone_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return row && toWriteSessionRow(row);
};
