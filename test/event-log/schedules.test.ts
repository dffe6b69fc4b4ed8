/**
 * Explores random schedules of one turn: crashes, zombies, lost replies, late and repeated signals, a lane that loses
 * and reorders, gateway restarts, viewers that come back from any id, terminations, resets by hand and closes from
 * outside. The workflow's log, the hub's list, merging and the close from outside are the product's own; the world
 * around them is the model in schedule/. That it can find errors is shown by schedules-rules.test.ts.
 */
import { describe, expect, it } from '@jest/globals';
import { explore, itHoldsInSchedules } from './schedule/explore.ts';
import { modelParts } from './schedule/model-parts.ts';
import { productParts } from './schedule/parts.ts';
import { rulesWithout } from './schedule/rules.ts';

/** The number of seeds; all later seeds are explored by test/slow/schedules.test.ts. */
const SCHEDULES = 20_000;
/**
 * Seeds whose schedules have a test of their own. To look into a schedule that failed, add its seed here and run with
 * `-t 'seed <n>'`.
 */
const REPLAYED = [1, 553, 2_256, 2_422];
/** The events that the schedules must contain. */
const EXPECTED_EVENTS = [
  'attempts crashed',
  'resets of attempts',
  'results of zombies',
  'claims refused: superseded',
  'claims refused: ended',
  'signals repeated',
  'steps without a result',
  'gateway restarts',
  'terminations',
  'runs reset by hand',
  'outside closes',
  'closed by the workflow',
];

describe('every viewer gets the same sequence, complete and with one end', () => {
  itHoldsInSchedules(1, SCHEDULES, EXPECTED_EVENTS);

  it.each(REPLAYED)('in the schedule of seed %i', (seed) => {
    expect(explore(seed, 1, productParts)).toEqual([]);
  });

  it('also with the second, simple implementation of the rules, whose parts can be left out', () => {
    expect(explore(1, 3_000, modelParts(rulesWithout()))).toEqual([]);
  });
});
