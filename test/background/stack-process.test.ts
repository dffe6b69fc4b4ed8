/** Tests a supervisor in the background; a scripted process stands in for it. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startStack, stopProcess, type StackStartOptions } from '../../src/background/stack-process.ts';
import { systemTimers } from '../../src/cli/process/cli-process.ts';
import { signalProcess, readStartTime } from '../../src/stack/processes/process-identity.ts';
import { eventually } from '../support/eventually.ts';

const entry = fileURLToPath(new URL('./support/supervisor.ts', import.meta.url));
const patient = { ...systemTimers, stopWithinMs: 50_000 };

let root: string;
/** Stops a stack that does not serve yet, at the latest when its test has ended. */
let giveUp: AbortController;
beforeEach(() => {
  giveUp = new AbortController();
  root = realpathSync(mkdtempSync(join(tmpdir(), 'orion-background-')));
});
/** The start times of the stacks that the test has left running, by pid. */
const leftRunning = new Map<number, string | undefined>();
afterEach(() => {
  giveUp.abort();
  for (const [pid, startTime] of leftRunning) {
    if (readStartTime(pid) === startTime) signalProcess(pid, 'SIGKILL');
  }
  leftRunning.clear();
  rmSync(root, { recursive: true, force: true });
});

const start = async (standin: string) => {
  const options: StackStartOptions = {
    entry,
    root,
    env: { PATH: process.env['PATH'], STANDIN: standin, ORION_WORKSPACE: '/work' },
    logFile: join(root, 'log'),
    signal: giveUp.signal,
  };
  const started = await startStack(options);
  if (started.kind === 'ready') leftRunning.set(started.pid, readStartTime(started.pid));
  return started;
};

it('a stack is left running once it says that it serves, in the checkout, with a private log', async () => {
  const started = await start('ready');
  if (started.kind !== 'ready') throw new Error(JSON.stringify(started));
  expect(readStartTime(started.pid)).toBeDefined();
  expect(readFileSync(join(root, 'log'), 'utf8')).toBe(`runs in ${root} with /work\n`);
  expect(statSync(join(root, 'log')).mode & 0o777).toBe(0o600);
  expect(await stopProcess(started.pid, patient)).toBe('ended');
  expect(readStartTime(started.pid)).toBeUndefined();
});

it('the failure of a stack is reported with its last output', async () => {
  expect(await start('failing')).toEqual({
    kind: 'failed',
    how: 'exit code 1',
    code: 1,
    log: expect.stringContaining('DATABASE: nobody serves it'),
  });
});

it('a stack is stopped when the caller that waits for it gives up', async () => {
  const started = start('waiting');
  await eventually('the word of the process', () => readLog().includes('waits'));
  giveUp.abort();
  expect(await started).toEqual({ kind: 'stopped' });
});

it('a stack that serves only after its caller has given up counts as stopped, once it has ended', async () => {
  const started = start('late');
  await eventually('the word of the process', () => readLog().includes('waits'));
  giveUp.abort();
  expect(await started).toEqual({ kind: 'stopped' });
  expect(readLog()).toContain('ends');
});

it('a stack is not started for a caller that has given up already', async () => {
  giveUp.abort();
  expect(await start('ready')).toEqual({ kind: 'stopped' });
  expect(readLog()).toBe('');
});

const readLog = (): string => {
  try {
    return readFileSync(join(root, 'log'), 'utf8');
  } catch {
    return '';
  }
};

it('a stack is reported as running when it takes longer to end than the caller waits', async () => {
  let time = 0;
  const sleep = (ms: number): Promise<void> => {
    time += ms;
    return Promise.resolve();
  };
  const started = await start('stubborn');
  if (started.kind !== 'ready') throw new Error(JSON.stringify(started));
  expect(await stopProcess(started.pid, { sleep, now: () => time, stopWithinMs: 1_000 })).toBe('running');
  expect(time).toBe(1_000);
});
