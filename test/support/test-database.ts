import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openDatabase, type Database, type DatabaseOptions } from '../../src/db/connection/database.ts';
import { migrateDatabase } from '../../src/db/migrations/migrate.ts';

export interface TestDatabase {
  readonly db: Database;
  readonly url: string;
  /** Opens another pool on the same database, which Postgres takes for another process. */
  openAnother(options?: DatabaseOptions): Database;
  close(): Promise<void>;
}

/**
 * These limits are longer than the defaults: a busy machine may keep Postgres silent for 2 s, and these tests do not
 * check how soon a silent Postgres is given up.
 */
const PATIENT = { connectTimeoutMs: 30_000, queryTimeoutMs: 30_000 } satisfies DatabaseOptions;

const serverUrl = (): string => {
  const url = process.env['ORION_TEST_DATABASE_URL'];
  if (!url) throw new Error('ORION_TEST_DATABASE_URL is not set; the global set-up of the tests sets it.');
  return url;
};

const onServer = async (statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
};

const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Drops a database by force, since processes that were killed may still be connected. A forced drop may not end an
 * autovacuum; the plain drop that follows does.
 */
const dropDatabase = async (name: string): Promise<void> => {
  try {
    await onServer(`drop database ${name} with (force)`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== INSUFFICIENT_PRIVILEGE) throw error;
    await onServer(`drop database ${name}`);
  }
};

/** Creates an empty database of its own, so that test files can run side by side. */
export const createEmptyDatabase = async (): Promise<{ url: string; drop(): Promise<void> }> => {
  const name = `orion_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(`create database ${name}`);
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => dropDatabase(name) };
};

/** Creates a migrated database of its own. */
export const createTestDatabase = async (options?: DatabaseOptions): Promise<TestDatabase> => {
  const { url, drop } = await createEmptyDatabase();
  const first = openDatabase(url, { ...PATIENT, ...options });
  await migrateDatabase(first.db);
  const opened = [first];
  return {
    db: first.db,
    url,
    openAnother: (more) => {
      const another = openDatabase(url, { ...PATIENT, ...more });
      opened.push(another);
      return another.db;
    },
    close: async () => {
      await Promise.all(opened.map((database) => database.close()));
      await drop();
    },
  };
};
