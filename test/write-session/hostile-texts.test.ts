/**
 * Covers texts by which a model could hold up a worker: without linear algorithms each takes minutes, with them
 * milliseconds. A limit between the two is met on any machine.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { withoutCodeFence } from '../../src/write-session/code-fence.ts';
import { findDone } from '../../src/write-session/done-detector.ts';
import { kmpIndexOf } from '../../src/contracts/values/knuth-morris-pratt.ts';
import { readContent } from '../../src/write-session/session-text.ts';
import { stitch } from '../../src/write-session/stitching.ts';
import { cpuAdjustedNow } from '../support/own-time.ts';

const MUCH = 400_000;
const LIMIT_MS = 15_000;

let startedAt = 0;
beforeEach(() => {
  startedAt = cpuAdjustedNow();
});
afterEach(() => {
  expect(cpuAdjustedNow() - startedAt).toBeLessThan(LIMIT_MS);
});

describe('finding one text in another', () => {
  it('says what indexOf says', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 30 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 6 });
    fc.assert(
      fc.property(text, pattern, fc.nat(30), (whole, part, from) => {
        expect(kmpIndexOf(whole, part, from)).toBe(whole.indexOf(part, from));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('a hostile text', () => {
  it('of blank lines after the end marker is read to its end', () => {
    const blanks = '\n'.repeat(MUCH);
    expect(findDone(`text\nDONE\n${blanks}Remark.${blanks}`)).toEqual({
      kind: 'done',
      contentLength: 5,
      remark: 'Remark.',
    });
    expect(findDone(`text\nDONE\na${blanks}b`)).toEqual({ kind: 'none' });
  });

  it('of tildes before a backtick is no fence', () => {
    expect(withoutCodeFence(`${'~'.repeat(MUCH)}\`\ntext\n~~~`)).toBeUndefined();
    expect(withoutCodeFence(`~~~\n${'~'.repeat(MUCH)}\`\n~~~`)).toBe(`${'~'.repeat(MUCH)}\`\n`);
  });

  it('of one letter, whose first lines almost come again, is joined', () => {
    const row = 'a'.repeat(MUCH / 2);
    const written = `${row}b\n${row}\nc\n${row}${row}`;
    expect(stitch(written, `${row}b\n${row}\nx`).how).toBe('appended');
  });

  it('of one letter before and in the line that was cut is joined at that line', () => {
    const row = 'a'.repeat(MUCH / 2);
    const end = `aaaaaaaa\naaaaaaaa\naaaaaaaa\nb${row}`;
    expect(stitch(`${row}\n${end}`, `${end} and on`)).toMatchObject({
      how: 'overlap',
      text: `${row}\n${end} and on`,
    });
  });

  it('of write-session phases that repeat themselves is read', () => {
    const text = `${'a'.repeat(MUCH / 40)}\n`.repeat(10);
    const phases = Array.from({ length: 14 }, () => ({ text, end: 'length' as const }));
    expect(readContent(phases).end).toBe('open');
  });
});
