/**
 * Covers an `npm start` that cannot start: it says why, exits as a process manager understands it, and leaves nothing
 * behind.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { newKey } from '../../src/access/new-key.ts';
import { drawFreePort } from '../support/free-port.ts';
import { eventually } from '../support/eventually.ts';
import { findInitdb } from './support/find-initdb.ts';

const main = fileURLToPath(new URL('../../src/stack/main.ts', import.meta.url));

let folder: string;
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orion-start-'));
});
afterEach(() => {
  server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const spawnMain = (env: Readonly<Record<string, string>>) =>
  spawn(process.execPath, [main], {
    // The working directory is its own, so that no `.env` of a developer is read.
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ORION_DATA_DIR: join(folder, 'data'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

const start = async (env: Readonly<Record<string, string>>): Promise<{ code: unknown; output: string }> => {
  const child = spawnMain(env);
  const exited = once(child, 'exit');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const code: unknown = (await exited)[0];
  return { code, output: stdout + stderr };
};

it('a start exits with 78 and every problem of a wrong configuration', async () => {
  const { code, output } = await start({ ORION_PORT: 'five', ORION_WORKERS: '0' });
  expect(code).toBe(78);
  expect(output).toContain('ORION_PORT: expected an integer from 0 to 65535, received "five"');
  expect(output).toContain('ORION_WORKERS: expected an integer from 1 to 32, received "0"');
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

it('a start names the variable of a data directory that cannot be one, and of a database that nobody serves', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const unmade = await start({ ORION_DATA_DIR: file });
  expect(unmade).toMatchObject({ code: 1, output: expect.stringMatching(/^ORION_DATA_DIR: .*\n$/) });
  const port = await drawFreePort();
  const unserved = await start({
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    DATABASE_URL: `postgres://127.0.0.1:${port}/none`,
    ORION_PORT: String(await drawFreePort()),
    OPENAI_BASE_URL: 'http://127.0.0.1:1',
  });
  expect(unserved).toMatchObject({
    code: 1,
    output: `DATABASE_URL: the database cannot be used: connect ECONNREFUSED 127.0.0.1:${port}\n`,
  });
});

it('a start names the port that is taken and its variable, and starts nothing', async () => {
  const port = await drawFreePort();
  server = createServer().listen(port, '127.0.0.1');
  const servers = { TEMPORAL_ADDRESS: '127.0.0.1:1', DATABASE_URL: 'postgres://127.0.0.1:1/none' };
  const { code, output } = await start({ ...servers, ORION_PORT: String(port) });
  expect(code).toBe(1);
  expect(output).toBe(`Port ${port} (gateway) is in use: stop what uses it, or set ORION_PORT.\n`);
  expect(existsSync(join(folder, 'data', 'processes.json'))).toBe(false);
  expect(existsSync(join(folder, 'data', 'logs'))).toBe(false);
});

it('a start says first what is wrong with the workspace, before it says why it cannot start', async () => {
  const port = await drawFreePort();
  server = createServer().listen(port, '127.0.0.1');
  const keys = join(folder, 'keys.json');
  const { entry } = newKey('test', ['demo']);
  writeFileSync(keys, JSON.stringify([entry]), { mode: 0o600 });
  const { code, output } = await start({
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    ORION_PORT: String(port),
    ORION_API_KEYS_FILE: keys,
    ORION_PROJECT_FOLDERS: 'off',
  });
  expect(code).toBe(1);
  expect(output.split('\n').map((line) => line.slice(0, 60))).toEqual([
    'orion: warning: API keys are bound to projects, but ORION_PROJECT_FOLDERS is off'.slice(0, 60),
    `Port ${port} (gateway) is in use: stop what uses it, or set ORION_PORT.`.slice(0, 60),
    '',
  ]);
});

(existsSync('/proc/self') ? it : it.skip)(
  'a start that is stopped while it makes the database keeps the next start out until the database is made',
  async () => {
    const workspace = join(folder, 'workspace');
    mkdirSync(workspace);
    const child = spawnMain({
      ORION_WORKSPACE: workspace,
      ORION_PORT: String(await drawFreePort()),
      // No other server is started, whose stop would take as long as the database.
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      OPENAI_API_KEY: 'unused',
    });
    const exited = once(child, 'exit');
    const initdb = await eventually('a process of initdb', () => {
      expect(child.exitCode).toBeNull();
      return findInitdb(child.pid ?? 0);
    });
    child.kill('SIGTERM');
    await eventually(
      'that the next start may begin',
      () => !existsSync(join(folder, 'data', 'processes.json')),
    );
    expect(existsSync(`/proc/${initdb}`)).toBe(false);
    await exited;
  },
);
