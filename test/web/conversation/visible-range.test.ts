/** Covers which part of a long conversation is drawn. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_OPTIONS } from '../../../src/web/composer/message-options.ts';
import type { BranchItem } from '../../../src/web/conversation/branches.ts';
import {
  type RangeStart,
  visibleRangeFrom,
  earlierStart,
  laterStart,
  MAX_VISIBLE_ITEMS,
  rangeStartOfTurn,
} from '../../../src/web/conversation/visible-range.ts';
import { itemKey } from '../../../src/web/conversation/history.ts';

/** Returns turns `turn-0`, `turn-1`, …, of which every third is a note. */
const branchOf = (length: number, first = 0): readonly BranchItem[] =>
  Array.from({ length }, (_, index) => {
    const n = first + index;
    if (n % 3 === 2) return { kind: 'note', id: String(n), content: '' };
    const said = { parentTurnId: null, message: '', options: DEFAULT_OPTIONS, versions: [] };
    return { kind: 'exchange', turnId: `turn-${n}`, ...said };
  });

const namesOf = (branch: readonly BranchItem[], place: RangeStart | undefined): readonly string[] => {
  const { from, to } = visibleRangeFrom(branch, place);
  return branch.slice(from, to).map(itemKey);
};

const length = fc.integer({ min: 0, max: 5 * MAX_VISIBLE_ITEMS });

describe('the part that is drawn', () => {
  it('is the end at first, and never more than a bounded number of items', () => {
    fc.assert(
      fc.property(length, fc.option(fc.nat(400)), fc.nat(40), (items, at, before) => {
        const branch = branchOf(items);
        const end = namesOf(branch, undefined);
        expect(end).toEqual(branch.slice(-MAX_VISIBLE_ITEMS).map(itemKey));
        const place = at === null ? undefined : { itemKey: `turn-${at}`, before };
        const drawn = namesOf(branch, place);
        expect(drawn.length).toBeLessThanOrEqual(MAX_VISIBLE_ITEMS);
        expect(drawn.length > 0).toBe(items > 0);
      }),
    );
  });

  it('reaches every item on the way up and down again', () => {
    fc.assert(
      fc.property(length, (items) => {
        const branch = branchOf(items);
        const seen = new Set<string>();
        let place: RangeStart | undefined;
        let part = visibleRangeFrom(branch, place);
        const see = (): void => {
          part = visibleRangeFrom(branch, place);
          for (const name of namesOf(branch, place)) seen.add(name);
        };
        for (see(); part.from > 0; see()) place = earlierStart(branch, part);
        expect(seen.size).toBe(items);
        seen.clear();
        for (see(); part.to < items; see()) place = laterStart(branch, part);
        expect(seen.size).toBe(items);
        expect(visibleRangeFrom(branch, place)).toEqual(visibleRangeFrom(branch, undefined));
      }),
    );
  });

  it('keeps what is in sight when earlier items have been read', () => {
    const known = branchOf(20, 100);
    const [first] = known;
    const place = earlierStart(known, visibleRangeFrom(known, undefined));
    const read = branchOf(30, 90);
    const drawn = namesOf(read, place);
    expect(drawn).toHaveLength(30);
    expect(drawn.at(10)).toBe(first && itemKey(first));
  });

  it('holds the turn of the address, with what was said before it', () => {
    const branch = branchOf(300);
    expect(rangeStartOfTurn(branch, undefined)).toBeUndefined();
    expect(rangeStartOfTurn(branch, 'unknown')).toBeUndefined();
    expect(rangeStartOfTurn(branch, 'turn-298')).toBeUndefined();
    const drawn = namesOf(branch, rangeStartOfTurn(branch, 'turn-30'));
    expect(drawn.indexOf('turn-30')).toBe(10);
    expect(namesOf(branch, rangeStartOfTurn(branch, 'turn-0'))[0]).toBe('turn-0');
  });
});
