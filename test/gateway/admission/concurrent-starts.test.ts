import { describe, expect, it } from '@jest/globals';
import { ConcurrentStarts } from '../../../src/gateway/admission/concurrent-starts.ts';
import { createRandom } from '../../support/random.ts';

/** Returns the moments of a Poisson process, in milliseconds. */
const arrivals = (random: () => number, perSecond: number, from: number, to: number): number[] => {
  const moments: number[] = [];
  for (let at = from; ; moments.push(at)) {
    at += (-Math.log(1 - random()) / perSecond) * 1_000;
    if (at >= to) return moments;
  }
};

interface Posted {
  readonly at: number;
  readonly owner: string;
}

interface Machine {
  /** The milliseconds that one start keeps the machine busy. */
  readonly work: number;
  /** Further milliseconds of each start, for which no other start waits. */
  readonly distance?: number;
  /** When set, nothing is heard of the starts, since the lane is off. */
  readonly isSilent?: boolean;
}

interface Seen extends Posted {
  /** Milliseconds until a worker had the turn; undefined when it was refused. */
  readonly latency: number | undefined;
}

/** Starts the turns that are posted, as far as they are admitted, on a machine that does one after the other. */
const simulate = (
  posted: readonly Posted[],
  { work, distance = 0, isSilent: silent = false }: Machine,
): Seen[] => {
  const world = { now: 0, freeAt: 0 };
  const starts = new ConcurrentStarts(() => world.now);
  const heardAt: { at: number; turnId: string }[] = [];
  const hear = (until: number): void => {
    while (heardAt[0] && heardAt[0].at <= until) {
      const { at, turnId } = heardAt.shift() ?? { at: 0, turnId: '' };
      world.now = at;
      if (!silent) starts.reachedWorker(turnId);
    }
    world.now = until;
  };
  return posted.map(({ at, owner }, index) => {
    hear(at);
    const turnId = `turn-${index}`;
    if (!starts.enter(turnId, owner)) return { at, owner, latency: undefined };
    world.freeAt = Math.max(world.freeAt, at) + work;
    heardAt.push({ at: world.freeAt + distance, turnId });
    return { at, owner, latency: world.freeAt + distance - at };
  });
};

const postedBy = (moments: readonly number[], owner = 'one'): Posted[] =>
  moments.map((at) => ({ at, owner }));
const refusedOf = (seen: readonly Seen[]): number =>
  seen.filter(({ latency }) => latency === undefined).length;
const p95 = (seen: readonly Seen[]): number =>
  seen
    .flatMap(({ latency }) => (latency === undefined ? [] : [latency]))
    .toSorted((a, b) => a - b)
    .at(Math.floor(0.95 * (seen.length - refusedOf(seen)))) ?? NaN;
const after = (seen: readonly Seen[], from: number): Seen[] => seen.filter(({ at }) => at >= from);

const SEEDS = [1, 2, 3, 4, 5];

describe('turns on their way to a worker, of one owner', () => {
  it.each(SEEDS)(
    'are admitted, with at most one of 100 refused, by a machine that keeps up (seed %i)',
    (seed) => {
      const seen = simulate(postedBy(arrivals(createRandom(seed), 8, 0, 60_000)), { work: 60 });
      expect(refusedOf(seen)).toBeLessThanOrEqual(0.01 * seen.length);
    },
  );

  it.each([
    [17, 60],
    [20, 60],
    [40, 60],
    [200, 60],
    [40, 30],
  ])(
    'are admitted such that they start quickly and the machine has work, at %i a second with %i ms of work each',
    (rate, work) => {
      for (const seed of SEEDS) {
        const seen = simulate(postedBy(arrivals(createRandom(seed), rate, 0, 60_000)), { work });
        const settled = after(seen, 15_000);
        expect(refusedOf(settled)).toBeGreaterThan(0);
        expect(p95(settled)).toBeLessThan(290);
        expect((settled.length - refusedOf(settled)) * work).toBeGreaterThan(0.8 * 45_000);
      }
    },
  );

  it('are admitted again soon after a flood', () => {
    const flood = arrivals(createRandom(1), 100, 0, 5_000);
    const quiet = arrivals(createRandom(2), 5, 15_000, 60_000);
    const seen = simulate(postedBy([...flood, ...quiet]), { work: 60 });
    expect(refusedOf(seen)).toBeGreaterThan(200);
    expect(refusedOf(after(seen, 15_000))).toBe(0);
  });

  it('are admitted at once when a burst of them is over in half a second', () => {
    const seen = simulate(postedBy([...Array<number>(8).fill(0), ...Array<number>(8).fill(5_000)]), {
      work: 60,
    });
    expect(refusedOf(seen)).toBe(0);
  });

  it('may take as long as Temporal is away', () => {
    const seen = simulate(postedBy(arrivals(createRandom(1), 8, 0, 60_000)), { work: 30, distance: 500 });
    expect(refusedOf(seen)).toBe(0);
  });

  it('are not limited where nothing is heard of any of them, as without the lane', () => {
    const seen = simulate(postedBy(arrivals(createRandom(1), 50, 0, 60_000)), { work: 60, isSilent: true });
    expect(refusedOf(seen)).toBe(0);
  });

  it('do not fill their places for good when they are never heard of', () => {
    const world = { now: 0 };
    const starts = slowStarts(world);
    let turns = 0;
    while (starts.enter(`lost-${turns}`, 'one')) turns += 1;
    expect(turns).toBeLessThan(10);
    world.now += 10_001;
    expect(starts.enter('new', 'one')).toBeDefined();
  });

  it('stay limited for a minute while none of them is heard of, since the lane may be broken', () => {
    const world = { now: 0 };
    const starts = slowStarts(world);
    let turns = 0;
    for (let second = 0; second < 50; second += 1) {
      while (turns < 1_000 && starts.enter(`stuck-${turns}`, 'one')) turns += 1;
      world.now += 1_000;
      expect(starts.limit).toBeLessThan(10);
    }
    world.now += 31_000;
    starts.enter('later', 'one');
    expect(starts.limit).toBe(Infinity);
  });

  it('give their place back when they start nothing, and a repeat only its own', () => {
    const world = { now: 0 };
    const starts = slowStarts(world);
    const leave = starts.enter('a', 'one');
    starts.enter('a', 'one')?.();
    world.now += 5;
    expect(starts.reachedWorker('a')).toBe(5);
    leave?.();
    expect(starts.reachedWorker('a')).toBeUndefined();
  });
});

describe('turns on their way to a worker, of several owners', () => {
  it.each(SEEDS)('each have a share that a flood of another does not take (seed %i)', (seed) => {
    const random = createRandom(seed);
    const flood = postedBy(arrivals(random, 200, 0, 60_000), 'flood');
    const calm = postedBy(arrivals(random, 1, 0, 60_000), 'calm');
    const seen = simulate(
      [...flood, ...calm].toSorted((a, b) => a.at - b.at),
      { work: 60 },
    );
    const own = after(seen, 15_000).filter(({ owner }) => owner === 'calm');
    expect(refusedOf(own)).toBeLessThan(0.2 * own.length);
    expect(p95(own)).toBeLessThan(500);
  });
});

/** Returns starts that were slow for more than a second, all of which have reached a worker. */
const slowStarts = (world: { now: number }): ConcurrentStarts => {
  const starts = new ConcurrentStarts(() => world.now);
  for (let i = 0; i < 5; i += 1) {
    starts.enter(`quick-${i}`, 'one');
    world.now += 10;
    starts.reachedWorker(`quick-${i}`);
  }
  for (let i = 0; i < 5; i += 1) {
    starts.enter(`slow-${i}`, 'one');
    world.now += 400;
    starts.reachedWorker(`slow-${i}`);
  }
  expect(starts.limit).toBeLessThan(10);
  return starts;
};
