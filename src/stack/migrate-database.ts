import { migrateDatabase } from '../db/migrate.ts';
import { openDatabase } from '../db/database.ts';

/** A migration may rewrite a table, which takes longer than any query of a request. */
const MIGRATION_TIMEOUT_MS = 600_000;

/** Brings the database of `url` to the schema of this release; safe beside others that do the same. */
export const migrateDatabaseAt = async (url: string): Promise<void> => {
  const database = openDatabase(url, { maxConnections: 2, queryTimeoutMs: MIGRATION_TIMEOUT_MS });
  try {
    await migrateDatabase(database.db);
  } finally {
    await database.close();
  }
};
