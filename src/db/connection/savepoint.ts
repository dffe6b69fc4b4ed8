import { sql } from 'kysely';
import type { Database } from './database.ts';
import { isDatabaseUnavailable } from './database-unavailable.ts';

/** Bounds the wait for locks: a table that somebody has locked must not hold up the transaction. */
const BEGIN_SAVEPOINT = sql`savepoint optional_part; set local lock_timeout = '200ms'`;
const END_SAVEPOINT = sql`set local lock_timeout = 0; release savepoint optional_part`;

/**
 * Runs `store`, which stores what a transaction can do without. If it fails, its changes are undone, and the error is
 * returned. Returns undefined when everything is stored. A wait for a lock fails after 200 ms. Rejects with an error
 * that `isDatabaseUnavailable` recognises, since the connection is then given up, and the transaction with it.
 */
export const tryInSavepoint = async (trx: Database, store: () => Promise<void>): Promise<unknown> => {
  await BEGIN_SAVEPOINT.execute(trx);
  try {
    await store();
    await END_SAVEPOINT.execute(trx);
    return undefined;
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    await sql`rollback to savepoint optional_part`.execute(trx);
    return error;
  }
};
