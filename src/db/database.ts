import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { guardPool } from './guarded-pool.ts';
import type { Schema } from './schema.ts';

export type Database = Kysely<Schema>;

export interface DatabaseOptions {
  readonly maxConnections?: number;
  /** Limit for a connection, including the wait for a free one of the pool. */
  readonly connectTimeoutMs?: number;
  /** Limit of one query, on both sides: the server may be gone or frozen, the client may be. */
  readonly queryTimeoutMs?: number;
  /** Told about idle connections that broke; the pool replaces them by itself. */
  readonly onConnectionLost?: (error: Error) => void;
}

/**
 * Opens a pool; connects when first used. The default limits make an unreachable or frozen Postgres known
 * within 2 s (docs/http-api.md); whatever fails so is recognised by `isDatabaseUnavailable`, and the next query
 * tries anew.
 */
export function openDatabase(
  url: string,
  options: DatabaseOptions = {},
): { db: Database; close(): Promise<void> } {
  const pool = new pg.Pool(poolConfig(url, options));
  pool.on('error', (error) => options.onConnectionLost?.(error));
  // A connection that breaks while it is checked out, between two statements, has no other listener: Node would
  // end the process. The next statement on it fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: guardPool(pool) }) });
  return {
    db,
    // Kysely destroys no pool it has not used yet.
    close: async () => {
      await db.destroy();
      if (!pool.ending) await pool.end();
    },
  };
}

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
