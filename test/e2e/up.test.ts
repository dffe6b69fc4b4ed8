/** Tests `orion up` in a project, with servers of its own, as a person types it; nothing of it is left behind. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { stackPathsOf } from '../../src/background/stack-paths.ts';
import { readStartTime } from '../../src/stack/processes/process-identity.ts';
import { runOrion } from '../support/orion-cli.ts';

// Each of these tests starts two systems with servers of their own, one after the other.
jest.setTimeout(480_000);

const home = realpathSync(mkdtempSync(join(tmpdir(), 'orion-up-')));
const project = join(home, 'project');
const state = join(home, 'state');
const deep = join(project, 'src', 'deep');

interface Running {
  readonly url: string;
  readonly workspace: string;
  readonly model: string;
  readonly processes: readonly { readonly role: string; readonly pid: number }[];
}

const orion = (cwd: string, ...args: string[]) =>
  runOrion(args, {
    cwd,
    url: undefined,
    env: { XDG_STATE_HOME: state, ORION_WORKERS: '1', RETRY_DELAY_MS: '1' },
  });
const statusIn = async (cwd: string): Promise<{ stack: Running | null; elsewhere: readonly Running[] }> =>
  JSON.parse((await orion(cwd, 'status', '--json')).stdout) as {
    stack: Running | null;
    elsewhere: readonly Running[];
  };

/**
 * Returns the roles of processes in the order in which they end; those that were found gone at the same time are
 * together.
 */
const endOrder = async (processes: Running['processes']): Promise<readonly (readonly string[])[]> => {
  const left = new Map(processes.map(({ role, pid }) => [pid, role]));
  const ended: string[][] = [];
  while (left.size > 0) {
    const gone = [...left].filter(([pid]) => readStartTime(pid) === undefined);
    for (const [pid] of gone) left.delete(pid);
    if (gone.length > 0) ended.push(gone.map(([, role]) => role));
    await delay(5);
  }
  return ended;
};

beforeAll(() => {
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(project, 'hello.md'), 'Hello\n');
  // These settings would stop the start if they were read.
  writeFileSync(join(project, '.env'), 'ORION_WORKERS=none\nORION_URL=http://127.0.0.1:9\n');
});
afterAll(async () => {
  await orion(project, 'down');
  const { dataDir } = stackPathsOf(join(state, 'orion'), project);
  try {
    // Under root the database is outside of the data directory.
    rmSync(readlinkSync(join(dataDir, 'postgres-place')), { recursive: true, force: true });
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toMatch(/ENOENT|EINVAL/);
  }
  rmSync(home, { recursive: true, force: true });
});

it('serves the project from any folder in it until it is stopped', async () => {
  // Two run at once, as from two terminals: one starts the stack, the other one waits and finds it.
  const ups = await Promise.all([orion(project, 'up'), orion(project, 'up')]);
  for (const up of ups) {
    expect(up).toMatchObject({ code: 0, stdout: expect.stringContaining(`workspace        ${project}\n`) });
  }
  expect(ups.map(({ stdout }) => stdout.split('\n')[0])).toEqual([
    expect.stringContaining('Orion runs at http'),
    ups[0]?.stdout.split('\n')[0],
  ]);
  expect(ups.filter(({ stderr }) => stderr.includes('nothing was started'))).toHaveLength(1);
  const { stack } = await statusIn(deep);
  expect(stack).toMatchObject({ workspace: project, model: 'orion-demo' });
  const pids = stack?.processes.map(({ pid }) => pid) ?? [];
  expect(stack?.processes.map(({ role }) => role).toSorted()).toEqual([
    'demo-model',
    'gateway',
    'postgres',
    'supervisor',
    'temporal',
    'worker',
  ]);
  expect((await statusIn(home)).elsewhere.map(({ url }) => url)).toEqual([stack?.url]);

  const answered = await orion(deep, '-p', 'List the files of the workspace.');
  expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('hello.md') });

  const again = await orion(deep, 'up');
  expect(again).toMatchObject({ code: 0, stderr: 'It runs already: nothing was started.\n' });
  expect((await statusIn(project)).stack?.processes).toEqual(stack?.processes);

  const order = endOrder(stack?.processes ?? []);
  expect(await orion(deep, 'down')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('was stopped'),
  });
  // Servers end after workers and gateways, whose last messages they still take.
  const ends = await order;
  const lookOf = (role: string): number => ends.findIndex((gone) => gone.includes(role));
  for (const server of ['postgres', 'temporal']) {
    for (const served of ['gateway', 'worker']) expect(lookOf(served)).toBeLessThanOrEqual(lookOf(server));
  }
  // Temporal and the supervisor may be found gone at the same time.
  expect(ends.at(-1)).toContain('supervisor');
  expect(pids.filter((pid) => readStartTime(pid) !== undefined)).toEqual([]);
  expect((await orion(project, 'status')).code).toBe(3);
  expect(await orion(project, 'down')).toMatchObject({ code: 0, stderr: `No stack runs for ${project}.\n` });

  // In a project `orion up` does not play the demonstration of `npm start`, and leaves no files of Orion.
  expect(readdirSync(project).toSorted()).toEqual(['.env', 'hello.md', 'src']);
  const { folder, dataDir } = stackPathsOf(join(state, 'orion'), project);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder).toSorted()).toEqual(['data', 'orion.log', 'stack.json']);
  expect(readdirSync(dataDir).filter((name) => name.startsWith('processes'))).toEqual([]);
});

it('`orion up` refuses a folder that cannot be a workspace with 78, and says why a start failed', async () => {
  expect(await orion(project, 'up', join(home, 'none'))).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('workspace: expected a folder that is there'),
  });
  expect(await orion(home, 'up')).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('does not contain what Orion keeps for itself'),
  });
  const { code, stderr } = await runOrion(['up'], {
    cwd: deep,
    url: undefined,
    env: { XDG_STATE_HOME: state, ORION_WORKERS: '0', OPENAI_API_KEI: 'x', ORION_COLOUR: 'red' },
  });
  expect(code).toBe(78);
  expect(stderr).toContain('OPENAI_API_KEI is not a setting of Orion; did you mean OPENAI_API_KEY?');
  expect(stderr).toContain('ORION_COLOUR is not a setting of Orion\n');
  expect(stderr).toContain('ORION_WORKERS: expected an integer from 1 to 32, received "0"');
  expect(stderr).toContain(stackPathsOf(join(state, 'orion'), deep).logFile);
});
