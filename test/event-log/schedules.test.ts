/**
 * Explores random schedules of one turn: crashes, zombies, lost replies, late and repeated signals, a lane that
 * loses and reorders, gateway restarts, viewers that come back from any id, terminations, resets by hand and
 * outside closes. The workflow's log, the hub's list, merging and the outside close are the product's own; the
 * world around them is the model in schedule/. That it can find something is shown by schedules-rules.test.ts.
 */
import { afterAll, describe, expect, it } from '@jest/globals';
import { modelParts } from './schedule/model-parts.ts';
import { productParts, type Parts } from './schedule/parts.ts';
import { rulesWithout } from './schedule/rules.ts';
import { World } from './schedule/world.ts';
import { logLine } from '../support/test-log.ts';

const SCHEDULES = 100_000;
const BLOCK = 10_000;
/** To look into a seed that was printed, add it here and run `-t 'seed <n>'`. */
const REPLAYED = [1, 553, 2_256, 2_422];

const rules = rulesWithout();
const statistics = new Map<string, number>();
const found: string[] = [];

function explore(first: number, count: number, parts: Parts, counted?: Map<string, number>): string[] {
  const failures: string[] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    for (const violation of new World(seed, rules, parts, counted).run())
      failures.push(`seed ${seed}: ${violation}`);
  }
  return failures;
}

describe('every viewer holds the same sequence, complete and with one end', () => {
  const blocks = Array.from({ length: SCHEDULES / BLOCK }, (_, block) => 1 + block * BLOCK);

  it.each(blocks)(
    `in ${BLOCK} random schedules from seed %i on`,
    (first) => {
      const failures = explore(first, BLOCK, productParts, statistics);
      found.push(...failures);
      expect(failures).toEqual([]);
    },
    120_000,
  );

  it.each(REPLAYED)('in the schedule of seed %i', (seed) => {
    expect(explore(seed, 1, productParts)).toEqual([]);
  });

  it('also with the plain second writing of the rules that the mutation table leaves parts out of', () => {
    expect(explore(1, 3_000, modelParts(rules))).toEqual([]);
  });

  it.each([
    ['attempts crashed'],
    ['resets of attempts'],
    ['results of zombies'],
    ['claims refused: superseded'],
    ['claims refused: ended'],
    ['signals repeated'],
    ['steps without a result'],
    ['gateway restarts'],
    ['terminations'],
    ['runs reset by hand'],
    ['outside closes'],
    ['closed by the workflow'],
  ])('and the schedules had at least 50 %s', (what) => {
    expect(statistics.get(what) ?? 0).toBeGreaterThanOrEqual(50);
  });

  afterAll(() => {
    const faults = [...statistics].map(([what, count]) => `${count} ${what}`).join(', ');
    logLine(`${SCHEDULES} schedules, seeds 1 to ${SCHEDULES}: ${found.length} violations (${faults})`);
  });
});
