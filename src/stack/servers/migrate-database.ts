import { openDatabase } from '../../db/database.ts';
import { migrateAtStart } from '../../db/migrate-at-start.ts';

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
