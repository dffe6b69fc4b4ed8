/** Checks with real processes that nothing outlives the supervisor, however it ends. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { readStartTime } from '../../../src/stack/processes/process-identity.ts';
import { addedLine, remainingEntries, removedLine } from '../../../src/stack/processes/reap.ts';
import { openReapList } from '../../../src/stack/processes/reap-list.ts';
import { eventually } from '../../support/eventually.ts';
import { runWithFewHandles } from '../../support/few-handles.ts';

const keeper = fileURLToPath(new URL('../support/keeper.ts', import.meta.url));
const reaper = fileURLToPath(new URL('../../../src/stack/processes/reaper.ts', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orion-reap-'));
});
const started: ChildProcess[] = [];
afterEach(() => {
  // A process that outlived a failed test would keep the run waiting for its output.
  for (const child of started.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Starts a supervisor of its own and resolves to the pids of its children: by default two, one of which ignores
 * SIGTERM.
 */
const startKeeper = async (
  ...children: string[]
): Promise<{ supervisor: ChildProcess; pids: readonly number[] }> => {
  const supervisor = spawn(process.execPath, [keeper, folder, ...children], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(supervisor);
  const [line] = z.tuple([z.instanceof(Buffer)]).parse(await once(supervisor.stdout, 'data'));
  return { supervisor, pids: z.array(z.number()).parse(JSON.parse(line.toString())) };
};

const areGone = (pids: readonly number[]): boolean => pids.every((pid) => readStartTime(pid) === undefined);
const expectAllGone = (pids: readonly number[]): Promise<true> =>
  eventually(`the end of ${pids.join(', ')}`, () => areGone(pids));

const killAndWait = async (supervisor: ChildProcess): Promise<void> => {
  const exited = once(supervisor, 'exit');
  supervisor.kill('SIGKILL');
  await exited;
};

/** Resolves to the pid of the reaper of a supervisor. The reaper has its name only a moment after it was started. */
const reaperOf = async (supervisor: ChildProcess): Promise<number> => {
  const found = await eventually('the reaper', () =>
    readFileSync(`/proc/${supervisor.pid}/task/${supervisor.pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('orion-reaper')),
  );
  return Number(found);
};

describe('SIGKILL of the supervisor', () => {
  it('leaves no child behind, not even one that ignores its signal', async () => {
    const { supervisor, pids } = await startKeeper();
    expect(pids).toHaveLength(2);
    await killAndWait(supervisor);
    await expectAllGone(pids);
  });

  it('and of a child at the same time also ends what the child had started', async () => {
    const { supervisor, pids } = await startKeeper('parent');
    const grandchild = Number(readFileSync(join(folder, 'grandchild'), 'utf8'));
    const exited = once(supervisor, 'exit');
    for (const pid of [supervisor.pid ?? 0, ...pids]) process.kill(pid, 'SIGKILL');
    await exited;
    await expectAllGone([grandchild]);
  });

  it('and of its reaper makes the next start clean up first', async () => {
    const { supervisor, pids } = await startKeeper();
    const stubborn = pids.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('stubborn'));
    process.kill(await reaperOf(supervisor), 'SIGKILL');
    await killAndWait(supervisor);
    expect(readStartTime(stubborn[0]!)).toBeDefined();
    const list = await openReapList(join(folder, 'processes.reap'));
    list.close();
    expect(areGone(pids)).toBe(true);
  });
});

describe('the list of an earlier run', () => {
  it('stops a second start in the same folder', async () => {
    const file = join(folder, 'processes.reap');
    const list = await openReapList(file);
    await expect(openReapList(file)).rejects.toThrow(
      `Orion already runs from this data directory (process ${process.pid}`,
    );
    list.close();
  });

  it('is inherited by one of those that start at once; the others learn who has it', async () => {
    const leftover = spawn(
      process.execPath,
      ['-e', `process.on('SIGTERM', () => {}); console.log(1); setInterval(() => {}, 9e5)`],
      { stdio: ['ignore', 'pipe', 'ignore'], detached: true },
    );
    started.push(leftover);
    await once(leftover.stdout, 'data');
    const file = join(folder, 'processes.reap');
    const pid = leftover.pid ?? 0;
    writeFileSync(file, `=1 SIGTERM 999\n+${pid} SIGTERM ${readStartTime(pid)}\n`);
    const starts = await Promise.allSettled(Array.from({ length: 4 }, () => openReapList(file)));
    expect(starts.map(({ status }) => status).toSorted()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ]);
    expect(readStartTime(pid)).toBeUndefined();
    for (const start of starts) {
      if (start.status === 'fulfilled') {
        start.value.close();
      } else {
        expect(String(start.reason)).toContain(
          `already runs from this data directory (process ${process.pid}`,
        );
      }
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('never harms a process that has got the pid of an old one', async () => {
    const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
    started.push(bystander);
    const pid = bystander.pid ?? 0;
    writeFileSync(join(folder, 'processes.reap'), `=1 SIGTERM 999\n+${pid} SIGKILL 999\n`);
    const list = await openReapList(join(folder, 'processes.reap'));
    list.close();
    expect(readStartTime(pid)).toBeDefined();
  });
});

it('the list is not locked when its reaper cannot be started, and the person learns why', async () => {
  const script = new URL('../support/reap-list-without-handles.ts', import.meta.url);
  const said = await runWithFewHandles(script, join(folder, 'processes.reap'));
  expect(JSON.parse(said)).toEqual({
    name: 'StartError',
    message: expect.stringMatching(/^The reaper could not be started: spawn .* EMFILE$/),
  });
  expect(readdirSync(folder)).toEqual([]);
});

it('a process that cannot be looked at is stopped once it can be, and no other process with its pid', async () => {
  started.push(...[1, 2].map(() => spawn('sleep', ['60'], { stdio: 'ignore' })));
  const [pid = 0, other = 0] = started.map((child) => child.pid);
  const script = new URL('../support/reap-without-handles.ts', import.meta.url);
  const said = await runWithFewHandles(
    script,
    addedLine({ pid, signal: 'SIGTERM', startTime: readStartTime(pid) ?? '' }),
    addedLine({ pid: other, signal: 'SIGTERM', startTime: '999' }),
  );
  expect(JSON.parse(said)).toBe('unknown');
  expect([readStartTime(pid), readStartTime(other)]).toEqual([undefined, expect.any(String)]);
});

it('the reaper ends by itself when everything was stopped in order', async () => {
  const process_ = spawn(process.execPath, [reaper], { stdio: ['pipe', 'ignore', 'inherit'] });
  process_.stdin.end(`${addedLine({ pid: 1, signal: 'SIGTERM', startTime: 'x' })}${removedLine(1)}`);
  expect(await once(process_, 'exit')).toEqual([0, null]);
});

describe('lines of the list', () => {
  const entry = fc.record({
    pid: fc.integer({ min: 1, max: 9 }),
    signal: fc.constantFrom('SIGINT' as const, 'SIGTERM' as const, 'SIGKILL' as const),
    startTime: fc.stringMatching(/^\S+$/),
  });

  it('leave what was added last and not removed since', () => {
    const step = fc.oneof(entry, fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const expected = new Map<number, unknown>();
        for (const one of steps) {
          if (typeof one === 'number') expected.delete(one);
          else expected.set(one.pid, one);
        }
        const text = steps
          .map((one) => (typeof one === 'number' ? removedLine(one) : addedLine(one)))
          .join('');
        expect(new Map(remainingEntries(text).map((one) => [one.pid, one]))).toEqual(expected);
      }),
    );
  });

  it('may be cut anywhere without naming a process that was never added', () => {
    fc.assert(
      fc.property(fc.array(entry), fc.nat(), (entries, cut) => {
        const text = entries.map(addedLine).join('').slice(0, cut);
        const pids = entries.map(({ pid }) => pid);
        for (const { pid } of remainingEntries(text)) expect(pids).toContain(pid);
      }),
    );
  });
});
