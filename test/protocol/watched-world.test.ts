import { expect, it } from '@jest/globals';
import { usedOfWorld } from './support/watched-world.ts';

const nothing = (): void => undefined;

it.each([
  ['now', () => Date.now()],
  ['new Date', () => new Date()],
  ['now', () => performance.now()],
  ['hrtime', () => process.hrtime()],
  ['bigint', () => process.hrtime.bigint()],
  ['random', () => Math.random()],
  ['randomUUID', () => crypto.randomUUID()],
  ['getRandomValues', () => crypto.getRandomValues(new Uint8Array(1))],
  ['setTimeout', () => clearTimeout(setTimeout(nothing, 0))],
  ['setInterval', () => clearInterval(setInterval(nothing, 0))],
  ['setImmediate', () => clearImmediate(setImmediate(nothing))],
  ['queueMicrotask', () => queueMicrotask(nothing)],
  ['nextTick', () => process.nextTick(nothing)],
  ['timeout', () => AbortSignal.timeout(0)],
])('the watched world notices that a function calls %s', async (name, work) => {
  const use = async (): Promise<void> => {
    await Promise.resolve();
    work();
  };
  expect(await usedOfWorld(use)).toEqual([name]);
  expect(await usedOfWorld(() => Promise.resolve())).toEqual([]);
});

it('the watched world notices a turn of the event loop', async () => {
  // Only what is looked up while the world is watched is noticed.
  const later = setTimeout;
  const used = await usedOfWorld(() => new Promise((resolve) => void later(resolve, 5)));
  expect(used).toEqual(['a turn of the event loop']);
});

it('what was watched works as before afterwards', async () => {
  const [now, date] = [performance.now, Date];
  await usedOfWorld(() => Promise.resolve());
  expect([performance.now, Date]).toEqual([now, date]);
  expect(Object.hasOwn(crypto, 'randomUUID')).toBe(false);
});
