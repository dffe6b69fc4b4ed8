/**
 * Covers the embedded Postgres: its role, its place on a machine with other accounts, and databases of earlier
 * versions.
 */
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startChild, stopChild, type ChildRegistry } from '../../src/stack/processes/child.ts';
import { drawFreePort } from '../support/free-port.ts';
import { listFormerAccounts, ensurePostgresAccount } from '../../src/stack/servers/postgres-account.ts';
import { ensurePostgresBinaries } from '../../src/stack/servers/postgres-binaries.ts';
import {
  waitForPostgres,
  preparePostgres,
  type PostgresServer,
} from '../../src/stack/servers/postgres-server.ts';
import { createProcessesFile } from '../../src/stack/processes/processes-file.ts';

const isRoot = process.geteuid?.() === 0;
const env = { PATH: process.env['PATH'] };
const run = promisify(execFile);
const PREPARE = fileURLToPath(new URL('./support/prepare-postgres.ts', import.meta.url));

let dataDir: string;
let lines: string[];
const outside = new Set<string>();
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'orion-postgres-'));
  lines = [];
});
afterEach(() => {
  for (const folder of [dataDir, ...outside]) rmSync(folder, { recursive: true, force: true });
  outside.clear();
});

const prepare = async (settings: readonly string[] = ['fsync=off']): Promise<PostgresServer> => {
  const log = (line: string): void => void lines.push(line);
  const server = await preparePostgres({ dataDir, port: await drawFreePort(), env, settings, log });
  if (server.layout.outside !== undefined) outside.add(server.layout.outside);
  return server;
};

/** Runs the server while `use` queries it. */
const serve = async <T>(server: PostgresServer, use: () => Promise<T>): Promise<T> => {
  const reapList = { add: () => undefined, remove: () => undefined, close: () => undefined };
  const registry: ChildRegistry = { processes: createProcessesFile(dataDir), reapList };
  const child = await startChild(server.spec, registry);
  try {
    await waitForPostgres(child, server.layout.cluster, 60_000);
    return await use();
  } finally {
    await stopChild(child, 'SIGINT', 60_000);
  }
};

const query = async (connectionString: string, text: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
};

const OLD_PASSWORD = 'of-an-earlier-version';

/**
 * Lays out a database as earlier versions did: `orion` is the superuser, the database is `postgres`, and the account is
 * nobody.
 */
const layOutFormer = async (folder: string): Promise<void> => {
  const account = isRoot ? { uid: listFormerAccounts()[1]!, gid: listFormerAccounts()[1]! } : undefined;
  const bin = join(ensurePostgresBinaries(ensurePostgresAccount(() => undefined)), 'bin');
  const passwords = `${folder}.password`;
  writeFileSync(passwords, OLD_PASSWORD, { mode: 0o600 });
  mkdirSync(folder, { mode: 0o700 });
  if (account) for (const path of [folder, passwords]) chownSync(path, account.uid, account.gid);
  const args = ['-D', folder, '-U', 'orion', '--auth=scram-sha-256', `--pwfile=${passwords}`, '--no-sync'];
  await run(join(bin, 'initdb'), args, { cwd: '/', env, ...account });
  const single = run(join(bin, 'postgres'), ['--single', '-D', folder, 'postgres'], {
    cwd: '/',
    env,
    ...account,
  });
  single.child.stdin?.end(
    [
      `CREATE TYPE mood AS ENUM ('glad');`,
      'CREATE TABLE kept (id bigserial primary key, text text not null, mood mood);',
      'CREATE VIEW seen AS SELECT text FROM kept;',
      `CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'select 1';`,
      `INSERT INTO kept (text) VALUES ('said before');`,
      '',
    ].join('\n'),
  );
  await single;
};

describe('the database', () => {
  it('is prepared once, and found again with the same password', async () => {
    const first = await prepare();
    expect(await serve(first, () => query(first.url, 'create table t as select 7 as x'))).toEqual([]);
    const again = await prepare();
    expect(new URL(again.url).password).toBe(new URL(first.url).password);
    expect(again.layout).toEqual(first.layout);
    expect(await serve(again, () => query(again.url, 'select x from t'))).toEqual([7]);
  });

  it('is prepared again after a start that was cut short, with another password', async () => {
    const first = await prepare();
    rmSync(join(dataDir, 'postgres.password'));
    const again = await prepare();
    expect(new URL(again.url).password).not.toBe(new URL(first.url).password);
    expect(await serve(again, () => query(again.url, 'select current_user::text'))).toEqual(['orion']);
  });

  it('is not prepared with a statement that fails, nor logs a statement that has a password', async () => {
    const server = await prepare();
    const failing = server.runSingleUser('template1', [
      `ALTER ROLE nobody_of_this_name PASSWORD 'canary-secret'`,
    ]);
    await expect(failing).rejects.toThrow('role "nobody_of_this_name" does not exist');
    await expect(failing).rejects.not.toThrow('canary-secret');
  });
});

describe('a database of an earlier version', () => {
  const former = async (): Promise<void> => {
    // Earlier versions had to let the other account pass.
    if (isRoot) chmodSync(dataDir, 0o711);
    await layOutFormer(join(dataDir, 'postgres'));
  };

  it('is kept, and loses its superuser', async () => {
    await former();
    const server = await prepare();
    await serve(server, async () => {
      expect(await query(server.url, 'select text from seen')).toEqual(['said before']);
      expect(
        await query(server.url, 'insert into kept (text, mood) values (one()::text, $$glad$$) returning id'),
      ).toEqual(['2']);
      // A later migration needs to be the owner.
      for (const change of [
        'alter table kept add column more text',
        'drop view seen',
        'drop function one()',
        `alter type mood add value 'sad'`,
        'create table public.other ()',
      ]) {
        await query(server.url, change);
      }
      expect(await query(server.url, 'select rolsuper from pg_roles where rolname = current_user')).toEqual([
        false,
      ]);
      const old = server.url.replace(new URL(server.url).password, OLD_PASSWORD);
      await expect(query(old, 'select 1')).rejects.toThrow('password authentication failed');
      await expect(query(server.url.replace('orion:', 'orion_superuser:'), 'select 1')).rejects.toThrow(
        'pg_hba.conf',
      );
      expect(
        await query(
          server.url,
          `select rolname::text from pg_roles where rolcanlogin or rolname like 'orion%' order by 1`,
        ),
      ).toEqual(['orion', 'orion_superuser']);
    });
    expect(readFileSync(join(dataDir, 'postgres.password'), 'utf8')).not.toBe(OLD_PASSWORD);
  });

  it('is taken up where a first try was cut short', async () => {
    await former();
    const server = await prepare();
    rmSync(server.layout.hbaFile);
    const again = await prepare();
    expect(await serve(again, () => query(again.url, 'select text from seen'))).toEqual(['said before']);
  });
});

const asRoot = isRoot ? describe : describe.skip;

asRoot('started by root', () => {
  it('says where it is, as it is not in the data directory', async () => {
    const { layout } = await prepare();
    const line = `the database is in ${layout.outside}: to remove everything, remove this folder and ${dataDir}`;
    expect(lines.filter((each) => each.startsWith('the database'))).toEqual([line]);
  });

  it('lies where no other account can create names, and has an account of its own', async () => {
    const { layout, spec } = await prepare();
    const owner = ensurePostgresAccount(() => undefined);
    expect(spec.user).toEqual(owner);
    expect(listFormerAccounts()).not.toContain(owner?.uid);
    expect(layout.cluster).toMatch(/^\/var\/lib\/orion\/[0-9a-f]{32}\/cluster$/);
    const [machine, folder, cluster] = ['/var/lib/orion', join(layout.cluster, '..'), layout.cluster].map(
      (path) => lstatSync(path),
    );
    expect([machine, folder].map((stats) => [stats?.uid, (stats?.mode ?? 0) & 0o777])).toEqual([
      [0, 0o711],
      [0, 0o711],
    ]);
    expect([cluster?.uid, (cluster?.mode ?? 0) & 0o777]).toEqual([owner?.uid, 0o700]);
    const password = lstatSync(join(dataDir, 'postgres.password'));
    expect([password.uid, password.mode & 0o777]).toEqual([0, 0o600]);
    // No other account may change programs that root's account of Postgres runs.
    for (const path of [spec.command, join(spec.command, '..')]) {
      expect([path, lstatSync(path).uid, lstatSync(path).mode & 0o022]).toEqual([path, 0, 0]);
    }
  });

  it('takes over no password and no link of another account, and gives no file away', async () => {
    const victim = join(dataDir, 'only-of-root');
    writeFileSync(victim, 'secret', { mode: 0o600 });
    const planted = join('/var/tmp', `orion-postgres-${randomUUID()}.password`);
    symlinkSync(victim, planted);
    symlinkSync(victim, join(dataDir, 'postgres.password'));
    const server = await prepare();
    rmSync(planted);
    expect([lstatSync(victim).uid, readFileSync(victim, 'utf8')]).toEqual([0, 'secret']);
    expect(lstatSync(join(dataDir, 'postgres.password')).isFile()).toBe(true);
    expect(new URL(server.url).password).not.toBe('secret');
  });

  it('hands over the links in an earlier database, not what they lead to', async () => {
    const victim = join(dataDir, 'only-of-root');
    writeFileSync(victim, 'secret', { mode: 0o600 });
    chmodSync(dataDir, 0o711);
    await layOutFormer(join(dataDir, 'postgres'));
    const planted = join(dataDir, 'postgres', 'pg_wal', 'link');
    symlinkSync(victim, planted);
    const { layout } = await prepare();
    expect(lstatSync(join(layout.cluster, 'pg_wal', 'link')).isSymbolicLink()).toBe(true);
    expect([lstatSync(victim).uid, lstatSync(victim).mode & 0o777]).toEqual([0, 0o600]);
  });

  it('refuses an earlier database in which a file has a second name', async () => {
    chmodSync(dataDir, 0o711);
    await layOutFormer(join(dataDir, 'postgres'));
    const victim = join(dataDir, 'only-of-root');
    writeFileSync(victim, 'secret', { mode: 0o600 });
    linkSync(victim, join(dataDir, 'postgres', 'second-name'));
    await expect(prepare()).rejects.toThrow(/second-name has several names/);
    expect(lstatSync(victim).uid).toBe(0);
    outside.add(dirname(realpathSync(join(dataDir, 'postgres-place', 'cluster.moved'))));
  });

  /** A folder of another file system than the one to which the database is moved. */
  const elsewhere = '/dev/shm';
  const acrossFileSystems =
    existsSync(elsewhere) && statSync(elsewhere).dev !== statSync('/var/lib').dev ? it : it.skip;

  acrossFileSystems('adopts the whole of an earlier database whose copy was cut short', async () => {
    rmSync(dataDir, { recursive: true });
    dataDir = mkdtempSync(join(elsewhere, 'orion-postgres-'));
    chmodSync(dataDir, 0o711);
    await layOutFormer(join(dataDir, 'postgres'));
    // A file of the write-ahead log is larger than a megabyte, so the process ends in the middle of the copy.
    const script = 'ulimit -f 1000 && exec "$0" "$@"';
    await expect(run('bash', ['-c', script, process.execPath, PREPARE, dataDir], { env })).rejects.toThrow();
    outside.add(readlinkSync(join(dataDir, 'postgres-place')));
    expect(existsSync(join(dataDir, 'postgres', 'PG_VERSION'))).toBe(true);
    const server = await prepare();
    expect(await serve(server, () => query(server.url, 'select text from seen'))).toEqual(['said before']);
  });

  it('adopts no database that another account has created', async () => {
    mkdirSync(join(dataDir, 'postgres'));
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '18');
    chownSync(join(dataDir, 'postgres'), 12_345, 12_345);
    const { layout } = await prepare();
    expect(existsSync(join(dataDir, 'postgres', 'PG_VERSION'))).toBe(true);
    expect(readFileSync(join(layout.cluster, 'PG_VERSION'), 'utf8')).toContain('18');
    expect(lines.join()).not.toContain('moving');
  });

  it('adopts no database from a public folder, which anybody may have created, and says so', async () => {
    const hash = createHash('sha256').update(join(dataDir, 'postgres')).digest('hex').slice(0, 12);
    const planted = join('/var/tmp', `orion-postgres-${hash}`);
    mkdirSync(planted);
    try {
      writeFileSync(join(planted, 'PG_VERSION'), 'planted');
      chownSync(planted, listFormerAccounts()[1]!, listFormerAccounts()[1]!);
      const { layout } = await prepare();
      expect(readFileSync(join(layout.cluster, 'PG_VERSION'), 'utf8')).not.toContain('planted');
      expect(existsSync(planted)).toBe(true);
      expect(lines.join()).toContain(`${planted} may be the database of an earlier version`);
    } finally {
      rmSync(planted, { recursive: true });
    }
  });

  it('says what is missing when the database was taken away', async () => {
    const { layout } = await prepare();
    rmSync(layout.outside ?? '', { recursive: true });
    await expect(prepare()).rejects.toThrow(/postgres-place leads to .*, which is gone/);
  });
});
