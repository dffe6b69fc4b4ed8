import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { longestStall } from './longest-stall.ts';
import { cpuAdjustedNow } from './own-time.ts';

/** Takes this much processor time (ms) of the thread: that of the process would include its other threads. */
const work = (ms: number): void => {
  const before = process.threadCpuUsage();
  const spent = (): number => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
  while (spent() < ms);
};

it('a process’s own time goes on while it works, and while it waits', async () => {
  const before = cpuAdjustedNow();
  work(200);
  const between = cpuAdjustedNow();
  expect(between - before).toBeGreaterThan(100);
  // A second is long compared with the waiting time that a busy machine reports late.
  await delay(1_000);
  expect(cpuAdjustedNow() - between).toBeGreaterThan(100);
});

it('work that blocks the event loop shows as a stall', async () => {
  expect(await longestStall(() => delay(50).then(() => work(400)))).toBeGreaterThan(200);
});
