import pg, { type Pool, type PoolClient } from 'pg';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { DatabaseSchema } from '../tables/schema.ts';
import { isDatabaseUnavailable } from './database-unavailable.ts';

/**
 * The pool as Kysely sees it, with one addition: a connection on which a query got no answer is destroyed, not handed
 * out again. A vanished host or a frozen server leaves a connection half open. Without this, it would fail every
 * request that draws it until TCP gives up, a quarter of an hour later.
 */
const guardPool = (pool: Pool): PostgresPool => ({
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

/** Postgres with the tables of `DatabaseSchema`, over a pool of connections. */
export type Database = Kysely<DatabaseSchema>;

export interface DatabaseOptions {
  readonly maxConnections?: number;
  /** Milliseconds for a connection, including the wait for a free one of the pool. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds of one query, on both sides: the server may be gone or frozen, and so may the client. */
  readonly queryTimeoutMs?: number;
  /** Called when an idle connection breaks; the pool replaces it by itself. */
  readonly onConnectionLost?: (error: Error) => void;
}

/**
 * Opens a pool; connects when first used. The default limits make an unreachable or frozen Postgres known within 2 s
 * (docs/http-api.md); `isDatabaseUnavailable` recognises such failures, and the next query tries anew.
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
    // Kysely destroys no pool it has not used yet.
    close: async () => {
      await db.destroy();
      if (!pool.ending) await pool.end();
    },
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
    // A process that froze inside a transaction must not hold its row locks for ever.
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
  };
};
