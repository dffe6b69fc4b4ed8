import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { StartError } from '../../../src/base/errors/start-error.ts';
import { openDatabase } from '../../../src/db/connection/database.ts';
import { migrateDatabase } from '../../../src/db/migrations/migrate.ts';
import { eventually } from '../../support/eventually.ts';
import { createEmptyDatabase } from '../../support/test-database.ts';

let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
let opened: ReturnType<typeof openDatabase>[];
beforeEach(async () => {
  empty = await createEmptyDatabase();
  opened = Array.from({ length: 6 }, () => openDatabase(empty.url));
});
afterEach(async () => {
  await Promise.all(opened.map(({ close }) => close()));
  await empty.drop();
});

const tables = async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(
    opened[0]!.db,
  );
  return rows.map(({ name }) => name).sort();
};

describe('migrations', () => {
  it('run once when six processes start at once on an empty database, and change nothing when they run again', async () => {
    await Promise.all(opened.map(({ db }) => migrateDatabase(db)));
    expect(await tables()).toEqual(
      expect.arrayContaining(['chat_messages', 'tool_executions', 'turn_contexts', 'turn_segments', 'turns']),
    );
    await Promise.all(opened.map(({ db }) => migrateDatabase(db)));
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(opened[0]!.db);
    const names = rows.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].toSorted());
    expect(names).toContain('0001-turns');
  });

  it('wait for a process that holds the lock longer than a query may take', async () => {
    const slow = openDatabase(empty.url, { queryTimeoutMs: 10_000 });
    opened.push(slow);
    const locked = Promise.withResolvers<void>();
    const holding = slow.db.connection().execute(async (connection) => {
      await sql`select pg_advisory_lock(${0x4f72_696f})`.execute(connection);
      locked.resolve();
      await sql`select pg_sleep(1.7)`.execute(connection);
      expect(await tables()).not.toContain('turns');
      await sql`select pg_advisory_unlock(${0x4f72_696f})`.execute(connection);
    });
    await locked.promise;
    await Promise.all([holding, migrateDatabase(opened[0]!.db)]);
    expect(await tables()).toContain('turns');
  });

  it('do not deadlock with a statement that locks tables in another order', async () => {
    const [migrating, turn, watching] = [opened[0]!.db, opened[1]!.db, opened[2]!.db];
    const statements = (...texts: readonly string[]): Migration => ({
      up: async (db) => {
        for (const text of texts) await sql.raw(text).execute(db);
      },
    });
    const before = { '1': statements('create table birds (n int)', 'create table nests (n int)') };
    await migrateDatabase(migrating, before);
    const added = statements('alter table birds add m int', 'alter table nests add m int');
    let migrated: Promise<void> | undefined;
    await turn.transaction().execute(async (transaction) => {
      await sql`insert into nests values (1)`.execute(transaction);
      migrated = migrateDatabase(migrating, { ...before, '2': added });
      await eventually('the migration to wait', async () => {
        const waits = sql`select 1 from pg_locks where not granted and relation = 'nests'::regclass`;
        return (await waits.execute(watching)).rows.length > 0;
      });
      await sql`insert into birds values (1)`.execute(transaction);
    });
    await migrated;
    for (const table of ['birds', 'nests']) {
      expect((await sql`select * from ${sql.table(table)}`.execute(watching)).rows).toEqual([
        { n: 1, m: null },
      ]);
    }
  });

  it('say which one fails and why, and leave nothing of it', async () => {
    await sql`create table turn_contexts (something integer)`.execute(opened[0]!.db);
    await expect(migrateDatabase(opened[0]!.db)).rejects.toThrow(
      /Migration 0001-turns failed: .*"turn_contexts" already exists/,
    );
    expect(await tables()).not.toContain('turns');
    await sql`drop table turn_contexts`.execute(opened[0]!.db);
    await migrateDatabase(opened[0]!.db);
    expect(await tables()).toContain('turns');
  });

  it('refuse a database that a newer version has migrated, in words, and leave it to that version', async () => {
    const { db } = opened[0]!;
    const one: Migration = {
      up: (trx) => sql`create table one (n integer)`.execute(trx).then(() => undefined),
    };
    const two: Migration = {
      up: (trx) => sql`create table two (n integer)`.execute(trx).then(() => undefined),
    };
    await migrateDatabase(db, { '0001-one': one, '0002-two': two });
    const older = migrateDatabase(db, { '0001-one': one });
    await expect(older).rejects.toThrow(StartError);
    await expect(older).rejects.toThrow(
      'DATABASE_URL: a newer version of Orion has migrated this database (0002-two). Start that version',
    );
    await migrateDatabase(db, { '0001-one': one, '0002-two': two });
  });
});
