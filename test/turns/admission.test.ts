import { describe, expect, it } from '@jest/globals';
import { Admission } from '../../src/gateway/turns/admission.ts';

/** An admission over a count that the test answers by hand. */
const setUp = () => {
  const world = { now: 0, counts: [] as PromiseWithResolvers<number>[] };
  const admission = new Admission({
    now: () => world.now,
    countRunning: () => {
      const count = Promise.withResolvers<number>();
      world.counts.push(count);
      return count.promise;
    },
  });
  const answer = async (running: number): Promise<void> => {
    world.counts.at(-1)?.resolve(running);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { world, admission, answer };
};

describe('Admission', () => {
  it('waits for no count, and asks for one at most once a second', () => {
    const { world, admission } = setUp();
    for (let i = 0; i < 10; i += 1) expect(admission.admit()).toBe(true);
    expect(world.counts).toHaveLength(1);
    world.now = 1_000;
    admission.admit();
    expect(world.counts).toHaveLength(2);
  });

  it('never lets more than 300 in before it has heard anything', () => {
    const { admission } = setUp();
    const admitted = Array.from({ length: 400 }, () => admission.admit()).filter(Boolean);
    expect(admitted).toHaveLength(300);
  });

  it('refuses while 300 run, and lets turns in again when some have ended', async () => {
    const { world, admission, answer } = setUp();
    admission.admit();
    await answer(300);
    expect(admission.admit()).toBe(false);
    world.now = 1_500;
    admission.admit();
    await answer(200);
    expect(admission.admit()).toBe(true);
  });

  it('goes on with the last count when Postgres does not answer', async () => {
    const { world, admission, answer } = setUp();
    admission.admit();
    await answer(10);
    world.now = 2_000;
    admission.admit();
    world.counts.at(-1)?.reject(new Error('down'));
    await Promise.resolve();
    expect(admission.admit()).toBe(true);
  });
});
