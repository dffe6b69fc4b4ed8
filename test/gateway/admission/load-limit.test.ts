import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type AdmittedTurn, LoadLimit } from '../../../src/gateway/admission/load-limit.ts';

/** Returns a limit whose counts the test answers by hand. */
const setUp = () => {
  const world = {
    now: 0,
    /** True while starts are quick enough. */
    takes: true,
    /** Number of starts that were taken back. */
    left: 0,
    /** Number of turns whose rows are stored. */
    stored: 0,
    /** Counts of running turns that were asked for, each with what was stored at that time. */
    counts: [] as (PromiseWithResolvers<number> & { stored: number })[],
  };
  const starts = {
    enter: (): (() => void) | undefined => (world.takes ? () => (world.left += 1) : undefined),
  };
  const inner = new LoadLimit({
    starts,
    now: () => world.now,
    countRunning: () => {
      const count = Promise.withResolvers<number>();
      world.counts.push({ ...count, stored: world.stored });
      return count.promise;
    },
  });
  /** Admits a turn; `admit` returns undefined when it is refused. */
  const limit = {
    admit: (): AdmittedTurn | undefined => {
      const admitted = inner.admit(randomUUID(), undefined);
      return admitted.kind === 'admitted' ? admitted : undefined;
    },
  };
  const answer = async (running: number): Promise<void> => {
    world.counts.at(-1)?.resolve(running);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { world, inner, limit, answer };
};

describe('LoadLimit', () => {
  it('waits for no count, and asks for one at most once a second', async () => {
    const { world, limit, answer } = setUp();
    for (let i = 0; i < 10; i += 1) expect(limit.admit()).toBeDefined();
    expect(world.counts).toHaveLength(1);
    await answer(0);
    world.now = 1_000;
    limit.admit();
    expect(world.counts).toHaveLength(2);
  });

  it('never admits more than 300 before the first count', () => {
    const { limit } = setUp();
    const admitted = Array.from({ length: 400 }, () => limit.admit()).filter(Boolean);
    expect(admitted).toHaveLength(300);
  });

  it('refuses while 300 run, says so, and admits turns again when some have ended', async () => {
    const { world, inner, limit, answer } = setUp();
    limit.admit();
    await answer(300);
    expect(inner.admit('t', 'key')).toEqual({ kind: 'refused', cause: 'running', retryAfterSeconds: 5 });
    world.now = 1_500;
    limit.admit();
    await answer(200);
    expect(limit.admit()).toBeDefined();
  });

  it('goes on with the last count when Postgres does not answer', async () => {
    const { world, limit, answer } = setUp();
    limit.admit();
    await answer(10);
    world.now = 2_000;
    limit.admit();
    world.counts.at(-1)?.reject(new Error('down'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(limit.admit()).toBeDefined();
  });

  it.each([
    ['in their order', [0, 1, 2]],
    ['the last one first', [2, 1, 0]],
  ])('admits nobody twice because of counts that overlap, answered %s', async (_order, order) => {
    const { world, limit } = setUp();
    const admit = (most: number): void => {
      for (let i = 0; i < most && store(limit.admit()); i += 1) world.stored += 1;
    };
    admit(150);
    // The first count is not answered yet. A limit that did not wait for it would ask for further counts here.
    for (const second of [2, 4]) {
      world.now = second * 1_000;
      admit(1);
    }
    for (const index of order) {
      const count = world.counts[index];
      count?.resolve(count.stored);
      await new Promise((resolve) => setImmediate(resolve));
    }
    admit(1_000);
    expect(world.stored).toBe(300);
  });

  it('counts a turn that is being stored until a count can include it', async () => {
    const { world, limit, answer } = setUp();
    const slow = limit.admit();
    await answer(299);
    world.now = 1_500;
    expect(limit.admit()).toBeUndefined();
    await answer(299);
    expect(limit.admit()).toBeUndefined();
    slow?.stored();
    world.now = 3_000;
    limit.admit();
    await answer(299);
    expect(store(limit.admit())).toBe(true);
  });

  it('refuses while starts are slow, says so, and takes back a turn that starts nothing', () => {
    const { world, inner, limit } = setUp();
    limit.admit()?.withdraw();
    expect(world.left).toBe(1);
    world.takes = false;
    expect(inner.admit('t', 'key')).toEqual({
      kind: 'refused',
      cause: 'starting',
      retryAfterSeconds: 1,
    });
  });

  it('gives back the place of a turn that starts nothing', () => {
    const { limit } = setUp();
    for (let i = 0; i < 1_000; i += 1) {
      const place = limit.admit();
      expect(place).toBeDefined();
      place?.withdraw();
    }
  });
});

const store = (place: AdmittedTurn | undefined): boolean => {
  place?.stored();
  return place !== undefined;
};
