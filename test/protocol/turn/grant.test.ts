/** Covers what a turn may spend after a person lets it go on (docs/protocol.md "Grants"). */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_TURN_MS, protocolConfigSchema } from '../../../src/contracts/turn/budgets.ts';
import { type GrantedBudgets, grantMore, initialGrants } from '../../../src/protocol/turn/grant.ts';
import {
  type TurnCounters,
  firstLimit,
  createCounters,
  TWO_STAGE_RULES,
} from '../../../src/protocol/turn/stop-policy.ts';

const settings = protocolConfigSchema.parse({});

const reasonFor = (
  { budgets, countersAtGrant }: GrantedBudgets,
  counters: TurnCounters,
  elapsedMs = 0,
): string | undefined =>
  firstLimit(TWO_STAGE_RULES, { counters, countersAtGrant, budgets, elapsedMs })?.reason;

const counted = (more: Partial<TurnCounters>): TurnCounters => ({ ...createCounters(), ...more });

describe('a grant', () => {
  it.each<[string, Partial<TurnCounters>, number]>([
    ['duplicates', { duplicates: 3 }, 0],
    ['malformed', { malformed: 3 }, 0],
    ['refusals', { refusals: 3 }, 0],
    ['cycles', { cycles: 3 }, 0],
    ['no_progress', { noProgressPoints: 9, idlePointsCleared: 3 }, 0],
    ['time', {}, 600_000],
    ['time', { timeCuts: 1 }, 600_000],
  ])('lifts the limit of %s, which is reached again after the same amount', (reason, more, elapsedMs) => {
    const counters = counted(more);
    const nothing = initialGrants(settings);
    expect(reasonFor(nothing, counters, elapsedMs)).toBe(reason);
    const granted = grantMore(nothing, counters, settings, { addsTime: true });
    expect(reasonFor(granted, counters, elapsedMs)).toBeUndefined();
    const twice = Object.fromEntries(Object.entries(more).map(([name, value]) => [name, 2 * value]));
    expect(reasonFor(granted, counted({ ...twice, idlePointsCleared: 0 }), 2 * elapsedMs)).toBe(reason);
  });

  it('without more time does not help a turn whose time is over', () => {
    const counters = counted({ timeCuts: 1 });
    const granted = grantMore(initialGrants(settings), counters, settings, { addsTime: false });
    expect(reasonFor(granted, counters)).toBe('time');
  });

  it.each(['tokens', 'repetition'])('lifts nothing that ends a turn for good: %s', (reason) => {
    const counters = counted(reason === 'tokens' ? { tokenCuts: 1 } : { repetitions: 1 });
    const granted = grantMore(initialGrants(settings), counters, settings, { addsTime: true });
    expect(reasonFor(granted, counters)).toBe(reason);
  });

  it('never lowers a budget, nor gives more than any turn may have, however many grants there are', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 1, max: MAX_TURN_MS }),
        fc.array(fc.record({ cycles: fc.nat(10), moreTime: fc.boolean() }), { maxLength: 20 }),
        (maxPhaseCycles, maxPhaseCyclesLimit, maxTurnMs, grants) => {
          const given = { ...settings, maxPhaseCycles, maxPhaseCyclesLimit, maxTurnMs };
          let granted = initialGrants(given);
          let cycles = 0;
          for (const { cycles: more, moreTime } of grants) {
            cycles += Math.min(more, granted.budgets.maxPhaseCycles - cycles);
            const next = grantMore(granted, counted({ cycles }), given, { addsTime: moreTime });
            expect(next.budgets.maxPhaseCycles).toBeGreaterThanOrEqual(granted.budgets.maxPhaseCycles);
            expect(next.budgets.maxTurnMs).toBeGreaterThanOrEqual(granted.budgets.maxTurnMs);
            granted = next;
          }
          const most = Math.max(maxPhaseCycles, maxPhaseCyclesLimit);
          expect(granted.budgets.maxPhaseCycles).toBeLessThanOrEqual(most);
          expect(granted.budgets.maxTurnMs).toBeLessThanOrEqual(MAX_TURN_MS);
        },
      ),
    ));
});
