/** Covers which part of a long conversation is drawn. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FIRST_OPTIONS } from '../../../src/web/conversation/ask-options.ts';
import type { BranchItem } from '../../../src/web/conversation/branches.ts';
import {
  type DrawnFrom,
  drawnPart,
  earlierPlace,
  laterPlace,
  MAX_DRAWN,
  placeOfTurn,
} from '../../../src/web/conversation/drawn-part.ts';
import { itemName } from '../../../src/web/conversation/history.ts';

/** Returns turns `turn-0`, `turn-1`, …, of which every third is a note. */
const branchOf = (length: number, first = 0): readonly BranchItem[] =>
  Array.from({ length }, (_, index) => {
    const n = first + index;
    if (n % 3 === 2) return { kind: 'note', id: String(n), content: '' };
    const said = { parentTurnId: null, question: '', asked: FIRST_OPTIONS, versions: [] };
    return { kind: 'exchange', turnId: `turn-${n}`, ...said };
  });

const namesOf = (branch: readonly BranchItem[], place: DrawnFrom | undefined): readonly string[] => {
  const { from, to } = drawnPart(branch, place);
  return branch.slice(from, to).map(itemName);
};

const length = fc.integer({ min: 0, max: 5 * MAX_DRAWN });

describe('the part that is drawn', () => {
  it('is the end at first, and never more than a bounded number of items', () => {
    fc.assert(
      fc.property(length, fc.option(fc.nat(400)), fc.nat(40), (items, at, before) => {
        const branch = branchOf(items);
        const end = namesOf(branch, undefined);
        expect(end).toEqual(branch.slice(-MAX_DRAWN).map(itemName));
        const place = at === null ? undefined : { name: `turn-${at}`, before };
        const drawn = namesOf(branch, place);
        expect(drawn.length).toBeLessThanOrEqual(MAX_DRAWN);
        expect(drawn.length > 0).toBe(items > 0);
      }),
    );
  });

  it('reaches every item on the way up and down again', () => {
    fc.assert(
      fc.property(length, (items) => {
        const branch = branchOf(items);
        const seen = new Set<string>();
        let place: DrawnFrom | undefined;
        let part = drawnPart(branch, place);
        const see = (): void => {
          part = drawnPart(branch, place);
          for (const name of namesOf(branch, place)) seen.add(name);
        };
        for (see(); part.from > 0; see()) place = earlierPlace(branch, part);
        expect(seen.size).toBe(items);
        seen.clear();
        for (see(); part.to < items; see()) place = laterPlace(branch, part);
        expect(seen.size).toBe(items);
        expect(drawnPart(branch, place)).toEqual(drawnPart(branch, undefined));
      }),
    );
  });

  it('keeps what is in sight when earlier items have been read', () => {
    const known = branchOf(20, 100);
    const [first] = known;
    const place = earlierPlace(known, drawnPart(known, undefined));
    const read = branchOf(30, 90);
    const drawn = namesOf(read, place);
    expect(drawn).toHaveLength(30);
    expect(drawn.at(10)).toBe(first && itemName(first));
  });

  it('holds the turn of the address, with what was said before it', () => {
    const branch = branchOf(300);
    expect(placeOfTurn(branch, undefined)).toBeUndefined();
    expect(placeOfTurn(branch, 'unknown')).toBeUndefined();
    expect(placeOfTurn(branch, 'turn-298')).toBeUndefined();
    const drawn = namesOf(branch, placeOfTurn(branch, 'turn-30'));
    expect(drawn.indexOf('turn-30')).toBe(10);
    expect(namesOf(branch, placeOfTurn(branch, 'turn-0'))[0]).toBe('turn-0');
  });
});
