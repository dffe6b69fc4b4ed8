import { StartError } from '../../base/errors/start-error.ts';
import { fieldsOf, stringOrEmpty } from '../../contracts/values/unchecked-value.ts';
import { openDatabase, type Database } from '../connection/database.ts';
import { isDatabaseUnavailable } from '../connection/database-unavailable.ts';
import { sqlStateOf } from '../connection/sql-state.ts';
import { migrateDatabase } from './migrate.ts';

/** Errors of `pg` and its pool when no connection was made in time, as on a busy machine. */
const CONNECT_TIMEOUT = /connection timeout|timeout exceeded when trying to connect/;
/** Largest number of tries to connect. Each takes 1.5 s, the default of `connectTimeoutMs` (`DatabaseOptions`). */
const MAX_CONNECT_TRIES = 6;

/**
 * Brings the schema to that of this version. Several processes may do so at the same time. A connection that times out
 * is tried `MAX_CONNECT_TRIES` times. Throws StartError when the database cannot be used, and what `migrateDatabase`
 * throws when a migration fails.
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

/**
 * Time in milliseconds that one statement may take. A migration may rewrite a table, which takes longer than any query
 * of a turn.
 */
const MIGRATION_TIMEOUT_MS = 600_000;

/**
 * Brings the database at `url` to the schema of this version, over connections of its own. Throws as `migrateAtStart`
 * does.
 */
export const migrateDatabaseAt = async (url: string): Promise<void> => {
  const database = openDatabase(url, { maxConnections: 2, queryTimeoutMs: MIGRATION_TIMEOUT_MS });
  try {
    await migrateAtStart(database.db);
  } finally {
    await database.close();
  }
};

/**
 * Reports whether the database cannot be reached, or refuses user, password (SQLSTATE class 28) or database name (class
 * 3D). None of these is a defect of Orion.
 */
const isUnusable = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || /^(28|3D)/.test(sqlStateOf(error) ?? '');

/**
 * Returns the reason of a failure in words. If `localhost` was tried as IPv6 and as IPv4, the error has a code but no
 * message.
 */
const reasonOf = (error: unknown): string => {
  const { message, code } = fieldsOf(error);
  return stringOrEmpty(message) || stringOrEmpty(code);
};
