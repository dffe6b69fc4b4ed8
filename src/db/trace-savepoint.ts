import { sql } from 'kysely';
import type { Database } from './database.ts';
import { isDatabaseUnavailable } from './database-unavailable.ts';
import { insertTraces, type NewTrace } from './trace-repository.ts';

/** A table that somebody has locked must not hold up the end of a turn. */
const LOCK_WAIT = sql`set local lock_timeout = '200ms'`;
const NO_LOCK_WAIT = sql`set local lock_timeout = 0`;

/**
 * Stores traces as part of a transaction that goes on without them: returns why they could not be stored. Throws
 * when the connection itself has failed, since the transaction has then, too.
 */
export async function tryInsertTraces(trx: Database, traces: readonly NewTrace[]): Promise<unknown> {
  if (traces.length === 0) return undefined;
  await sql`savepoint traces`.execute(trx);
  try {
    await LOCK_WAIT.execute(trx);
    await insertTraces(trx, traces);
    await NO_LOCK_WAIT.execute(trx);
    await sql`release savepoint traces`.execute(trx);
    return undefined;
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    await sql`rollback to savepoint traces`.execute(trx);
    return error;
  }
}
