/** Covers which changes of a file follow on each other, and when an undo would lose a change of somebody else. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chainOf, type ChainedChange } from '../../../src/files/commit/change-chain.ts';
import { isSameContent, type TargetState } from '../../../src/files/workspace/target-file.ts';

const state = (text: string): TargetState => ({ sha256: text, bytes: text.length });
const change = (before: string | null, after: string, isCertain = false): ChainedChange => ({
  before: before === null ? null : state(before),
  after: state(after),
  isCertain,
});

describe('a chain of changes', () => {
  it.each<[what: string, changes: ChainedChange[], before: string | null, after: (string | null)[]]>([
    ['one, of which nobody knows whether it happened', [change('a', 'b')], 'a', ['b', 'a']],
    ['one that happened', [change('a', 'b', true)], 'a', ['b']],
    ['a new file', [change(null, 'b')], null, ['b', null]],
    ['two', [change('a', 'b'), change('b', 'c')], 'a', ['c', 'b']],
    ['two, the first of which did not happen', [change('a', 'b'), change('a', 'c')], 'a', ['c', 'a']],
    ['a tool, then a session', [change(null, 'b'), change('b', 'c', true)], null, ['c']],
  ])('%s', (_what, changes, before, after) => {
    expect(chainOf(changes)).toEqual({
      before: before === null ? null : state(before),
      after: after.map((text) => (text === null ? null : state(text))),
    });
  });

  it('is broken where somebody else wrote in between', () => {
    expect(chainOf([change('a', 'b'), change('x', 'c')])).toBeUndefined();
    expect(chainOf([change('a', 'b', true), change('a', 'c')])).toBeUndefined();
  });

  it("whatever dies and whoever writes in between: the final content is the turn's own, or an undo is refused", () => {
    const step = fc.record({
      text: fc.constantFrom('a', 'b', 'c', 'd'),
      dies: fc.boolean(),
      foreign: fc.option(fc.constantFrom('p', 'q', 'r'), { nil: undefined, freq: 6 }),
    });
    const counts = { restored: 0, refused: 0 };
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        let current = state('first');
        let hasForeignWrite = false;
        const changes: ChainedChange[] = [];
        for (const { text, dies, foreign } of steps) {
          changes.push({ before: current, after: state(text), isCertain: false });
          if (!dies) current = state(text);
          if (foreign !== undefined) {
            current = state(foreign);
            hasForeignWrite = true;
          }
        }
        const chain = chainOf(changes);
        const goesOn = chain?.after.some((one) => isSameContent(one, current)) === true;
        counts[goesOn ? 'restored' : 'refused'] += 1;
        // No foreign text equals one of the turn's, so an undo may overwrite none of them.
        expect(goesOn).toBe(!hasForeignWrite);
        if (goesOn) expect(chain?.before).toEqual(state('first'));
      }),
      { numRuns: 1_000 },
    );
    // About 30 of the chains can be restored.
    expect(Math.min(counts.restored, counts.refused)).toBeGreaterThan(5);
  });
});
