import { afterAll, expect, it } from '@jest/globals';
import { logLine } from '../../support/test-log.ts';
import { productParts, type Parts } from './parts.ts';
import { rulesWithout } from './rules.ts';
import { EventWorld } from './event-world.ts';

/** The number of schedules in one test. */
const BLOCK = 20_000;
/** An event that happens less often counts as not tried. */
const MIN_OCCURRENCES = 10;
const BLOCK_TIMEOUT_MS = 240_000;

const rules = rulesWithout();

/**
 * Returns what went wrong in the schedules of `count` seeds from `first` on; counts what happened in them. These
 * schedules are orders in which a model world delivers the events of one turn. Those of test/protocol/schedule are of
 * replies, and those of test/schedules run on real processes.
 */
export const explore = (
  first: number,
  count: number,
  parts: Parts,
  counted?: Map<string, number>,
): string[] => {
  const failures: string[] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    for (const violation of new EventWorld(seed, rules, parts, counted).run()) {
      failures.push(`seed ${seed}: ${violation}`);
    }
  }
  return failures;
};

/** Explores the schedules of the seeds from `first` to `last`; each of `events` has to happen in every block. */
export const itHoldsInSchedules = (first: number, last: number, events: readonly string[] = []): void => {
  const statistics = new Map<string, number>();
  let violations = 0;
  const blocks = Array.from({ length: (last - first + 1) / BLOCK }, (_, block) => first + block * BLOCK);

  it.each(blocks)(
    `in ${BLOCK} random schedules from seed %i on`,
    (from) => {
      const counted = new Map<string, number>();
      const failures = explore(from, BLOCK, productParts, counted);
      violations += failures.length;
      for (const [what, count] of counted) statistics.set(what, (statistics.get(what) ?? 0) + count);
      expect(failures).toEqual([]);
      expect(events.filter((what) => (counted.get(what) ?? 0) < MIN_OCCURRENCES)).toEqual([]);
    },
    BLOCK_TIMEOUT_MS,
  );

  afterAll(() => {
    const faults = [...statistics].map(([what, count]) => `${count} ${what}`).join(', ');
    logLine(`schedules of seeds ${first} to ${last}: ${violations} violations (${faults})`);
  });
};
