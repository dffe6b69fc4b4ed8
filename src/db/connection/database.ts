import pg, { type Pool, type PoolClient } from 'pg';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { DatabaseSchema } from '../tables/schema.ts';
import { isDatabaseUnavailable } from './database-unavailable.ts';
import { toQueryConfig } from './prepared-statement.ts';

/** Postgres with the tables of `DatabaseSchema`, over a pool of connections. */
export type Database = Kysely<DatabaseSchema>;

export interface DatabaseOptions {
  readonly maxConnections?: number;
  /**
   * Time in milliseconds to wait for a connection, including the wait for a free one of the pool. Absent means 1,500.
   */
  readonly connectTimeoutMs?: number;
  /**
   * Time in milliseconds that one query may take. Both sides enforce it, because the server may be gone or frozen, and
   * so may the client. Absent means 1,500.
   */
  readonly queryTimeoutMs?: number;
  /** Called when an idle connection breaks; the pool replaces it by itself. */
  readonly onConnectionLost?: (error: Error) => void;
}

/**
 * Opens a pool of connections, which connects when it is first used. With the default limits, an unreachable or frozen
 * Postgres is usually noticed within 2 s (docs/http-api.md). `isDatabaseUnavailable` recognises such failures, and the
 * next query tries again.
 */
export const openDatabase = (
  url: string,
  options: DatabaseOptions = {},
): { db: Database; close(): Promise<void> } => {
  const pool = new pg.Pool(poolConfig(url, options));
  pool.on('error', (error) => options.onConnectionLost?.(error));
  // A connection that breaks while it is checked out, between two statements, has no other listener, and Node would end
  // the process. The next statement on it fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<DatabaseSchema>({ dialect: new PostgresDialect({ pool: guardPool(pool) }) });
  return {
    db,
    // `destroy` ends the pool only if Kysely has used it.
    close: async () => {
      await db.destroy();
      if (!pool.ending) await pool.end();
    },
  };
};

/**
 * The pool as Kysely sees it, with one addition: a connection on which a query failed because Postgres was unavailable
 * (`isDatabaseUnavailable`) is destroyed, not handed out again. A vanished host or a frozen server leaves a connection
 * half open. Handed out again, such a connection would fail every request that gets it until TCP gives up, a quarter of
 * an hour later.
 */
const guardPool = (pool: Pool): PostgresPool => ({
  options: pool.options,
  connect: async () => guardClient(await pool.connect()),
  end: () => pool.end(),
});

const guardClient = (client: PoolClient): PostgresPoolClient => {
  let connectionError: Error | undefined;
  const query = async (text: unknown, values?: readonly unknown[]): Promise<unknown> => {
    // The rollback that follows a lost query must not wait for a second timeout.
    if (connectionError) throw connectionError;
    try {
      return await client.query(toQueryConfig(text as string, values as unknown[] | undefined));
    } catch (error) {
      if (isDatabaseUnavailable(error)) connectionError = error as Error;
      throw error;
    }
  };
  return {
    query: query as PostgresPoolClient['query'],
    release: () => client.release(connectionError !== undefined),
  };
};

const poolConfig = (url: string, options: DatabaseOptions): pg.PoolConfig => {
  const queryTimeoutMs = options.queryTimeoutMs ?? 1_500;
  return {
    connectionString: url,
    application_name: 'orion',
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 1_500,
    query_timeout: queryTimeoutMs,
    statement_timeout: queryTimeoutMs,
    // A process that froze inside a transaction must not hold its locks for ever (also those of
    // src/db/claims/free-target.ts).
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
  };
};
