/** Tests what `npm start` exposes to other accounts of the machine, to web pages, and to the keys of other projects. */
import { lstat, mkdtemp, readFile, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newKey } from '../../src/access/new-key.ts';
import { ChatClient } from '../support/chat-client.ts';
import { startFakeModel, type FakeModel } from '../support/fake-model/fake-model.ts';
import { answer, answerWithCall } from '../support/fake-model/responses.ts';
import { drawFreePort } from '../support/free-port.ts';
import { OrionStack } from '../support/orion-stack.ts';
import { rawRequest } from '../support/raw-request.ts';

const MODEL_KEY = 'sk-canary-model-0123456789';
const STRAY = 'canary-of-nobody';
const alice = newKey('alice', ['a']);
const bob = newKey('bob', ['b']);

let folder: string;
let fake: FakeModel;
let stack: OrionStack;
const ports = { temporal: 0, ui: 0, postgres: 0, metrics: 0 };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orion-closed-'));
  fake = await startFakeModel();
  for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = await drawFreePort();
  const keysFile = join(folder, 'keys.json');
  await writeFile(keysFile, JSON.stringify([alice.entry, bob.entry]));
  stack = await OrionStack.start({
    // This stack starts servers of its own, unlike those of other tests.
    TEMPORAL_ADDRESS: '',
    DATABASE_URL: '',
    ORION_TEMPORAL_PORT: String(ports.temporal),
    ORION_TEMPORAL_UI_PORT: String(ports.ui),
    ORION_POSTGRES_PORT: String(ports.postgres),
    ORION_METRICS_PORT: String(ports.metrics),
    ORION_WORKERS: '1',
    ORION_API_KEYS_FILE: keysFile,
    OPENAI_BASE_URL: fake.baseUrl,
    OPENAI_API_KEY: MODEL_KEY,
    ORION_MODEL: 'fake',
    SOMEBODYS_SECRET: STRAY,
  });
});
afterAll(async () => {
  await stack?.stop();
  await fake?.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = async (key: string, projectId: string, content: string): Promise<string> => {
  const chat = new ChatClient(stack.baseUrl, { Authorization: `Bearer ${key}` });
  const stream = await chat.chat({ projectId, content });
  await stream.ended;
  return JSON.stringify(stream.frames.map(({ data }) => data));
};

/** Resolves to `path` and everything below it that is not a link, with the permission bits in octal. */
const modesBelow = async (path: string): Promise<[path: string, mode: string][]> => {
  const found: [string, string][] = [];
  const walk = async (at: string): Promise<void> => {
    const stats = await lstat(at);
    if (stats.isSymbolicLink()) return;
    found.push([at, (stats.mode & 0o777).toString(8)]);
    if (stats.isDirectory()) for (const name of await readdir(at)) await walk(join(at, name));
  };
  await walk(path);
  return found;
};

describe('other accounts of the machine', () => {
  it('read nothing of the data directory', async () => {
    await ask(alice.key, 'a', 'hello');
    const modes = await modesBelow(stack.dataDir);
    expect(modes.length).toBeGreaterThan(8);
    expect(modes.filter(([, mode]) => !mode.endsWith('00'))).toEqual([]);
    expect(modes[0]).toEqual([stack.dataDir, '700']);
  });

  it('find secrets only in the environment of the processes that use them', async () => {
    const holders = async (secret: string): Promise<string[]> => {
      const listed = await stack.processes();
      const held = await Promise.all(
        listed.map(async ({ role, pid }) =>
          (await readFile(`/proc/${pid}/environ`, 'utf8')).includes(secret) ? [role] : [],
        ),
      );
      return held.flat().toSorted();
    };
    expect((await stack.processes()).map(({ role }) => role)).toEqual(
      expect.arrayContaining(['gateway', 'postgres', 'temporal', 'worker']),
    );
    expect(await holders(MODEL_KEY)).toEqual(['supervisor', 'worker']);
    expect(await holders('keys.json')).toEqual(['gateway', 'supervisor']);
    expect(await holders(STRAY)).toEqual(['supervisor']);
  });

  it('would gain only one database with the password of Orion, and nothing else of the server', async () => {
    const password = await readFile(join(stack.dataDir, 'postgres.password'), 'utf8');
    const urlOf = (user: string, database: string): string =>
      `postgres://${user}:${password}@127.0.0.1:${ports.postgres}/${database}`;
    const client = new pg.Client({ connectionString: urlOf('orion', 'orion') });
    await client.connect();
    const { rows } = await client.query(
      'select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls from pg_roles where rolname = current_user',
    );
    expect(Object.values(rows[0] as object)).toEqual([false, false, false, false, false]);
    for (const forbidden of [
      `copy (select 1) to program 'id'`,
      `select pg_read_file('PG_VERSION')`,
      'create role mallory superuser',
      'create database more',
    ]) {
      await expect(client.query(forbidden)).rejects.toThrow('permission denied');
    }
    await client.end();
    for (const [user, database] of [
      ['orion', 'template1'],
      ['orion_superuser', 'orion'],
      ['postgres', 'orion'],
    ] as const) {
      const stranger = new pg.Client({ connectionString: urlOf(user, database) });
      await expect(stranger.connect()).rejects.toThrow(/pg_hba\.conf/);
    }
  });
});

describe('keys of projects', () => {
  it('open the files of their projects only, though nobody asked for project folders', async () => {
    /** Plays a turn with one tool call; resolves to the result that the model gets. */
    const resultOf = async (key: string, projectId: string, name: string, args: object): Promise<string> => {
      fake.clear();
      fake.script(answerWithCall(name, args), answer('done'));
      await ask(key, projectId, name);
      return JSON.stringify(fake.requests.at(-1)?.body);
    };
    const path = 'private.md';
    const content = 'secret of alice';
    expect(await resultOf(alice.key, 'a', 'FileSystemTool_write_to_file', { path, content })).toContain(
      'created',
    );
    expect(await resultOf(alice.key, 'a', 'FileSystemTool_read_file', { path })).toContain(content);
    const theirs = await resultOf(bob.key, 'b', 'FileSystemTool_read_file', { path });
    expect(theirs).toContain('not found');
    expect(theirs).not.toContain(content);
  });
});

/**
 * Returns the sockets on which the stack listens, from proc(5): in hexadecimal, an IPv4 address in the byte order of
 * the machine.
 */
const listeningSockets = async (): Promise<{ readonly address: string; readonly port: number }[]> => {
  const sockets = new Set<string>();
  for (const { pid } of await stack.processes()) {
    for (const fd of await readdir(`/proc/${pid}/fd`)) {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
      const [, inode] = /^socket:\[(\d+)\]$/.exec(target) ?? [];
      if (inode !== undefined) sockets.add(inode);
    }
  }
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((table) => readFile(`/proc/net/${table}`, 'utf8').catch(() => '')),
  );
  const lines = tables.flatMap((table) => table.split('\n').slice(1));
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    return state === '0A' && sockets.has(inode) ? [{ address, port: Number.parseInt(port, 16) }] : [];
  });
};

/**
 * Returns the open ports of 127.0.0.1. Ports of other addresses in 127/8 are random, so that no web page finds them by
 * trying.
 */
const openPorts = async (): Promise<number[]> =>
  (await listeningSockets()).flatMap(({ address, port }) => (address === '0100007F' ? [port] : []));

it('nothing listens beyond this machine', async () => {
  const places = await listeningSockets();
  expect(places.length).toBeGreaterThan(8);
  // The last two digits are the first byte of the address.
  expect(places.filter(({ address }) => !/^[0-9A-F]{6}7F$/.test(address))).toEqual([]);
});

/** A start of a workflow that a page of another site might post by a form. */
const START = JSON.stringify({ workflowType: { name: 'turnWorkflow' }, taskQueue: { name: 'orion' } });
const foreign = { Origin: 'http://evil.example' };

describe('a web page', () => {
  it.each([
    ['whose name resolves to this machine', 'GET', { Host: 'evil.example' }, ''],
    ['of another site that reads', 'GET', foreign, ''],
    [
      'of another site that posts',
      'POST',
      { ...foreign, 'Content-Type': 'text/plain', 'Content-Length': String(START.length) },
      START,
    ],
  ])('%s is answered by no port', async (_who, method, headers, body) => {
    const open = await openPorts();
    expect(open).toEqual(expect.arrayContaining(Object.values(ports)));
    const answered: string[] = [];
    for (const port of open) {
      for (const path of [
        '/',
        '/metrics',
        '/api/v1/namespaces',
        '/api/v1/namespaces/default/workflows/w',
        '/health',
      ]) {
        const host = { Host: `127.0.0.1:${port}`, ...headers };
        const { status } = await rawRequest({ port, method, path, headers: host, body });
        // Ports that do not speak HTTP, such as those of Postgres and gRPC, have no status.
        if (status !== undefined && status < 400) {
          answered.push(`${Object.values(ports).includes(port)} ${path}`);
        }
      }
    }
    // These are the metrics of the Temporal server, at a port of its choice (docs/security.md).
    expect(answered).toEqual(['false /metrics']);
  });

  it('is served the Web UI by a name of this machine, and the metrics of workers only by their own names', async () => {
    const get = (port: number, path: string, host: string) =>
      rawRequest({ port, method: 'GET', path, headers: { Host: host }, body: '' });
    const page = await get(ports.ui, '/', `localhost:${ports.ui}`);
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('<html')]);
    const list = await get(ports.ui, '/api/v1/namespaces', `127.0.0.1:${ports.ui}`);
    expect([list.status, list.body]).toEqual([200, expect.stringContaining('"namespaces"')]);
    const metrics = await get(ports.metrics, '/metrics', `127.0.0.1:${ports.metrics}`);
    expect([metrics.status, metrics.body]).toEqual([200, expect.stringContaining('temporal_')]);
    expect((await get(ports.metrics, '/metrics', 'evil.example')).status).toBe(403);
  });
});
