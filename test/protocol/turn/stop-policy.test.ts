/** Covers when tool use ends, and why (docs/protocol.md "Budgets"). */
import { describe, expect, it } from '@jest/globals';
import { budgetsSchema } from '../../../src/contracts/turn/budgets.ts';
import {
  type TurnCounters,
  firstLimit,
  createCounters,
  TWO_STAGE_RULES,
} from '../../../src/protocol/turn/stop-policy.ts';

const budgets = budgetsSchema.parse({});

const reasonFor = (counters: Partial<TurnCounters>, elapsedMs = 0): string | undefined =>
  firstLimit(TWO_STAGE_RULES, {
    counters: { ...createCounters(), ...counters },
    countersAtGrant: createCounters(),
    budgets,
    elapsedMs,
  })?.reason;

/** Counters that just meet each limit, in the order of precedence. */
const LIMITS: [string, Partial<TurnCounters>, number?][] = [
  ['duplicates', { duplicates: 3 }],
  ['malformed', { malformed: 3 }],
  ['refusals', { refusals: 3 }],
  ['cycles', { cycles: 3 }],
  ['no_progress', { noProgressPoints: 6 }],
  ['time', {}, 600_000],
  ['tokens', { tokens: 65_536 }],
  ['cost', { costCuts: 1 }],
  ['repetition', { repetitions: 1 }],
];

describe('the stop policy', () => {
  it.each(LIMITS)(
    'ends for %s when its budget is used up, and not before',
    (reason, counters, elapsedMs = 0) => {
      expect(reasonFor(counters, elapsedMs)).toBe(reason);
      const fewer = Object.fromEntries(Object.entries(counters).map(([key, value]) => [key, value - 1]));
      expect(reasonFor(fewer, Math.max(0, elapsedMs - 1))).toBeUndefined();
    },
  );

  it('names the first of several limits that are met at once', () => {
    LIMITS.forEach(([reason], i) => {
      const rest = LIMITS.slice(i);
      const counters = Object.assign({}, ...rest.map(([, met]) => met)) as Partial<TurnCounters>;
      const elapsedMs = Math.max(...rest.map(([, , elapsed = 0]) => elapsed));
      expect(reasonFor(counters, elapsedMs)).toBe(reason);
    });
  });

  it('grants one more duplicate for every five tools that ran', () => {
    const long = { ...budgets, maxPhaseCycles: 50 };
    const reason = (duplicates: number, cycles: number): string | undefined =>
      firstLimit(TWO_STAGE_RULES, {
        counters: { ...createCounters(), duplicates, cycles },
        countersAtGrant: createCounters(),
        budgets: long,
        elapsedMs: 0,
      })?.reason;
    expect([reason(3, 4), reason(3, 5), reason(4, 9), reason(4, 10)]).toEqual([
      'duplicates',
      undefined,
      'duplicates',
      undefined,
    ]);
  });

  it('counts only the points that no progress has cleared', () => {
    expect(reasonFor({ noProgressPoints: 9, idlePointsCleared: 4 })).toBeUndefined();
    expect(reasonFor({ noProgressPoints: 10, idlePointsCleared: 4 })).toBe('no_progress');
  });
});
