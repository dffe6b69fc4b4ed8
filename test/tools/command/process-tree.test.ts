/** Covers what the processes of a command take together, which no kernel limit on a single process can see. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findExcess, watchTree } from '../../../src/tools/command/process-tree.ts';
import { eventually } from '../../support/eventually.ts';

const KIB = 1_024;
const MUCH = { processes: 1_000, memoryBytes: 1024 ** 4 };

let shell: ChildProcess;
let pid: number;
const childrenOf = (parent: number): string[] =>
  readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ').filter(Boolean);
beforeAll(async () => {
  // There are three processes: the shell and the two that it waits for.
  shell = spawn('sh', ['-c', 'sleep 3600 & sleep 3600 & wait'], { stdio: 'ignore', detached: true });
  pid = shell.pid ?? 0;
  await eventually('both of its children', () => childrenOf(pid).length === 2);
});
afterAll(() => void process.kill(-pid, 'SIGKILL'));

const memoryOf = (process: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1]) * KIB;

it('the look at a tree finds nothing where there is less than the limits', async () => {
  expect(await findExcess(pid, { ...MUCH, processes: 3 })).toBeUndefined();
});

it('the look at a tree counts all of its processes', async () => {
  expect(await findExcess(pid, { ...MUCH, processes: 2 })).toBe('processes');
});

it('the look at a tree adds up the memory of its processes', async () => {
  const largest = Math.max(...[pid, ...childrenOf(pid).map(Number)].map(memoryOf));
  expect(await findExcess(pid, { ...MUCH, memoryBytes: largest + 4 * KIB })).toBe('memory');
});

it('the look at a tree is repeated until it finds something or is stopped', async () => {
  const { signal } = new AbortController();
  expect(await watchTree(pid, { ...MUCH, processes: 2 }, signal)).toBe('processes');
  expect(await watchTree(pid, MUCH, AbortSignal.timeout(1))).toBeUndefined();
});
