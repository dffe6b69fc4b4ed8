/** Each service gets a role that owns its databases and may do nothing else, on a new server and on an older one. */
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openDatabase } from '../../../src/db/connection/database.ts';
import { migrateDatabase } from '../../../src/db/migrations/migrate.ts';
import { ensureServiceRoles } from '../../../src/db/connection/service-roles.ts';
import { startOwnServer } from '../support/own-server.ts';

const ADMIN = { name: 'orion_superuser', password: 'of-the-superuser' };
const ours = { name: 'orion', password: `it's "1" %20 @`, databases: ['before'] };
const theirs = { name: 'temporal', password: 'x', databases: ['fresh', '"odd" name'] };

let server: Awaited<ReturnType<typeof startOwnServer>>;
const urlOf = (database: string, { name, password }: { name: string; password: string }): string => {
  const url = new URL(`postgres://127.0.0.1:${server.port}`);
  url.pathname = `/${encodeURIComponent(database)}`;
  url.username = name;
  url.password = encodeURIComponent(password);
  return url.href;
};

const run = async (url: string, ...statements: string[]): Promise<readonly Record<string, unknown>[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
};

const migrate = async (url: string): Promise<void> => {
  const { db, close } = openDatabase(url, { connectTimeoutMs: 60_000, queryTimeoutMs: 60_000 });
  try {
    await migrateDatabase(db);
  } finally {
    await close();
  }
};

const ensure = () => ensureServiceRoles(urlOf('template1', ADMIN), 'orion', [ours, theirs]);

beforeAll(async () => {
  // With older compose files Orion logs in as the superuser.
  server = await startOwnServer('orion', ADMIN.password);
  const superuser = { name: 'orion', password: ADMIN.password };
  await run(urlOf('template1', superuser), 'create database before');
  await migrate(urlOf('before', superuser));
  await run(
    urlOf('before', superuser),
    `create extension btree_gin`,
    `create type mood as enum ('good')`,
    `create table moods (id serial primary key, at int generated always as identity, mood mood)`,
    `create view all_moods as select * from moods`,
    `create function moods() returns bigint language sql as 'select count(*) from moods'`,
    `insert into moods (mood) values ('good')`,
  );
  for (let times = 0; times < 2; times += 1) await ensure();
});
afterAll(() => server.stop());

it('a role owns what a superuser made before: it reads, changes and migrates it', async () => {
  const url = urlOf('before', ours);
  await expect(run(url, 'select moods() as count')).resolves.toEqual([{ count: '1' }]);
  await run(
    url,
    `insert into moods (mood) values ('good')`,
    `alter table moods add column why text`,
    `alter type mood add value 'bad'`,
    `drop view all_moods`,
    `drop function moods()`,
    `alter table turns add column more int`,
    `alter table turns drop column more`,
  );
  await migrate(url);
});

it('a new database serves at once, and takes the extension that Temporal wants', async () => {
  await migrate(urlOf('fresh', theirs));
  const made = run(urlOf('"odd" name', theirs), `create extension btree_gin`, `create table t (id int)`);
  await expect(made).resolves.toEqual([]);
});

it('a start that was cut short is completed', async () => {
  await run(urlOf('template1', ADMIN), `create role orion_handover login superuser`);
  await ensure();
  await expect(
    run(urlOf('template1', ADMIN), `select from pg_roles where rolname = 'orion_handover'`),
  ).resolves.toEqual([]);
});

it.each([
  ['another’s database', 'fresh', 'select 1'],
  ['the server’s own', 'template1', 'select 1'],
  ['a new database', 'before', `create database more`],
  ['a new role', 'before', `create role more`],
  ['files', 'before', `select pg_read_file('postgresql.conf')`],
  ['programs', 'before', `copy (select 1) to program 'id'`],
  ['the settings', 'before', `alter system set log_statement = 'all'`],
])('is refused: %s', async (_what, database, statement) => {
  await expect(run(urlOf(database, ours), statement)).rejects.toMatchObject({ code: '42501' });
});

it('a start says that a password is wrong', async () => {
  const wrong = urlOf('template1', { ...ADMIN, password: 'wrong' });
  await expect(ensureServiceRoles(wrong, 'orion', [ours])).rejects.toMatchObject({ code: '28P01' });
});
