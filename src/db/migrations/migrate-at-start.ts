import { StartError } from '../../base/errors/start-error.ts';
import { fieldsOf } from '../../contracts/values/record.ts';
import { openDatabase, type Database } from '../connection/database.ts';
import { isDatabaseUnavailable } from '../connection/database-unavailable.ts';
import { migrateDatabase } from './migrate.ts';

const textField = (error: unknown, name: 'code' | 'message'): string => {
  const value = fieldsOf(error)[name];
  return typeof value === 'string' ? value : '';
};

/**
 * Tells if the database is not reachable, or refuses user, password (SQLSTATE 28) or database name (3D): no defect of
 * ours.
 */
const isUnusable = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || /^(28|3D)[0-9A-Z]{3}$/.test(textField(error, 'code'));

/**
 * Reason of a failure in words: where `localhost` was tried as IPv6 and IPv4 the error has a code and no message.
 */
const reasonOf = (error: unknown): string => textField(error, 'message') || textField(error, 'code');

/** Errors of `pg` and its pool where no connection was made in time, as on a busy machine. */
const CONNECT_TIMEOUT = /connection timeout|timeout exceeded when trying to connect/;
/** Tries to connect, of 1.5 s each, before giving up. */
const MAX_CONNECT_TRIES = 6;

/**
 * Brings the schema to that of this release. Safe beside others that do the same. A connection that times out is tried
 * `MAX_CONNECT_TRIES` times. Throws StartError when the database cannot be used.
 */
export const migrateAtStart = async (db: Database): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await migrateDatabase(db);
    } catch (cause) {
      if (!isUnusable(cause)) throw cause;
      if (tries < MAX_CONNECT_TRIES && CONNECT_TIMEOUT.test(reasonOf(cause))) continue;
      throw new StartError(`DATABASE_URL: the database cannot be used: ${reasonOf(cause)}`, { cause });
    }
  }
};

/** A migration may rewrite a table, which takes longer than any query of a request. */
const MIGRATION_TIMEOUT_MS = 600_000;

/** Brings the database of `url` to the schema of this release. Throws StartError when it cannot be used. */
export const migrateDatabaseAt = async (url: string): Promise<void> => {
  const database = openDatabase(url, { maxConnections: 2, queryTimeoutMs: MIGRATION_TIMEOUT_MS });
  try {
    await migrateAtStart(database.db);
  } finally {
    await database.close();
  }
};
