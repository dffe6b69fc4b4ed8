import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { isDatabaseUnavailable } from './database-unavailable.ts';

/**
 * The pool as Kysely sees it, with one addition: a connection on which a query failed for want of an answer is
 * destroyed, not handed out again. Otherwise one that a vanished host or a frozen server left half open would
 * fail every request that draws it until TCP gives up, a quarter of an hour later.
 */
export const guardPool = (pool: Pool): PostgresPool => ({
  options: pool.options,
  connect: async () => guardClient(await pool.connect()),
  end: () => pool.end(),
});

const guardClient = (client: PoolClient): PostgresPoolClient => {
  let broken: Error | undefined;
  const query = async (text: unknown, values?: readonly unknown[]): Promise<unknown> => {
    // The rollback that follows a lost query must not wait for a second timeout.
    if (broken) throw broken;
    try {
      return await client.query(text as string, values as unknown[]);
    } catch (error) {
      if (isDatabaseUnavailable(error)) broken = error as Error;
      throw error;
    }
  };
  return { query: query as PostgresPoolClient['query'], release: () => client.release(broken !== undefined) };
};
