import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { limitConcurrency } from '../../base/timing/concurrency-limit.ts';
import type { Database } from '../connection/database.ts';

/**
 * Largest number of targets that one process holds at a time. Each holder keeps one connection to the database while it
 * queries on another. If there were as many holders as connections in the pool, they would wait for each other, and
 * everybody else for them. A caller that waits for a target keeps no connection.
 */
const MAX_HELD_LOCKS = 3;
/**
 * Largest number of tries to get the lock of a target. With the pauses they take about 2 s, for which an undo waits for
 * another undo of the file, or for statements that hold the lock shared.
 */
const MAX_TRIES = 40;
const PAUSE_MS = 50;

/**
 * Returns the key of the advisory lock on a target. A statement that takes the target, or plans a write to it, holds
 * the lock shared. Work that needs the target free holds it exclusively.
 */
export const targetLock = (targetKey: string) => sql`hashtextextended(${targetKey}::text, 7)`;

/**
 * Runs `work` while nobody else may change the target, as `CommitSessions.withFreeTarget` says. Others that keep the
 * lock for about 2 s count as a target that is not free.
 *
 * A transaction holds the lock, so a process that dies releases it. Postgres ends the transaction, and with it the
 * lock, after 10 s without a call of `assertLockHeld` (`idle_in_transaction_session_timeout` in
 * src/db/connection/database.ts). `assertLockHeld` then rejects. Call it before each change.
 */
export type WithFreeTarget = <T>(
  targetKey: string,
  work: (assertLockHeld: () => Promise<void>) => Promise<T>,
) => Promise<T | undefined>;

/** Creates the lock on targets. It uses at most three connections of the pool at a time to hold targets. */
export const createWithFreeTarget = (db: Database): WithFreeTarget => {
  const withSlot = limitConcurrency(MAX_HELD_LOCKS);
  return async (targetKey, work) => {
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const outcome = await withSlot(() => tryWithLock(db, targetKey, work));
      if (outcome.kind === 'done') return outcome.result;
      if (outcome.kind === 'taken') return undefined;
      await delay(PAUSE_MS);
    }
    return undefined;
  };
};

type LockAttempt<T> = { readonly kind: 'done'; readonly result: T } | { readonly kind: 'taken' | 'locked' };

const tryWithLock = <T>(
  db: Database,
  targetKey: string,
  work: (assertLockHeld: () => Promise<void>) => Promise<T>,
): Promise<LockAttempt<T>> =>
  db.transaction().execute(async (trx): Promise<LockAttempt<T>> => {
    const { rows } = await sql<{
      locked: boolean;
    }>`select pg_try_advisory_xact_lock(${targetLock(targetKey)}) as locked`.execute(trx);
    if (rows[0]?.locked !== true) return { kind: 'locked' };
    const open = await trx
      .selectFrom('write_sessions')
      .select('session_id')
      .where('target_key', '=', targetKey)
      .where('state', '<>', 'ended')
      .executeTakeFirst();
    if (open ?? (await findRunningTool(trx, targetKey))) return { kind: 'taken' };
    return { kind: 'done', result: await work(async () => void (await sql`select 1`.execute(trx))) };
  });

/**
 * Finds an execution, in a running turn, that may write this target and has no result yet. An execution that begins
 * later finds the lock taken.
 */
const findRunningTool = (db: Database, targetKey: string) =>
  db
    .selectFrom('file_changes as change')
    .innerJoin('tool_executions as execution', (join) =>
      join
        .onRef('execution.turn_id', '=', 'change.turn_id')
        .onRef('execution.phase_index', '=', 'change.phase_index')
        .onRef('execution.position', '=', 'change.position')
        .onRef('execution.attempts', '=', 'change.attempt'),
    )
    .innerJoin('turns', 'turns.turn_id', 'change.turn_id')
    .select('change.turn_id')
    .where('change.target_key', '=', targetKey)
    .where('execution.result', 'is', null)
    .where('turns.status', '=', 'running')
    .executeTakeFirst();
