/** Covers the end of a write session's content (docs/write-sessions.md "In a turn"). */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DoneDetector, findDone } from '../../src/write-session/done-detector.ts';

const contentOf = (text: string): string | undefined => {
  const mark = findDone(text);
  return mark.kind === 'done' ? text.slice(0, mark.contentLength) : undefined;
};

const inPieces = (pieces: readonly string[]) => {
  const detector = new DoneDetector();
  for (const piece of pieces) detector.push(piece);
  return detector.finish();
};

const ENDED: readonly (readonly [text: string, content: string, remark: string])[] = [
  ['a\nDONE', 'a\n', ''],
  ['a\nDONE\n', 'a\n', ''],
  ['a\r\nDONE\r\n', 'a\r\n', ''],
  ['a\nDONE \t\n', 'a\n', ''],
  ['a\nDONE\n\n\n', 'a\n', ''],
  ['DONE', '', ''],
  ['a\n\nDONE\nI wrote the file.\n', 'a\n\n', 'I wrote the file.'],
  ['a\nDONE\nb\nDONE\n', 'a\nDONE\nb\n', ''],
  ['DONE\nDONE', 'DONE\n', ''],
  [`a\nDONE\n${'x'.repeat(300)}\n`, 'a\n', 'x'.repeat(300)],
  [`a\nDONE\n   ${'x'.repeat(300)}   \n`, 'a\n', 'x'.repeat(300)],
  [`a\nDONE\n${'x'.repeat(301)}\nDONE`, `a\nDONE\n${'x'.repeat(301)}\n`, ''],
  ['😀\nDONE\n😀', '😀\n', '😀'],
];

const NOT_ENDED = [
  '',
  'a',
  'a\nDONE_FLAG\n',
  'a\ntext DONE\n',
  'a\n  DONE\n',
  'a\n\tDONE\n',
  'a\n**DONE**\n',
  'a\nDONE.\n',
  'a\nDONE!',
  'a\ndone\n',
  'a\nDON\nE\n',
  'aDONE',
  `a\nDONE\n${'x'.repeat(301)}\n`,
  `a\nDONE\nb\nDONE\n${'x y\n'.repeat(100)}`,
];

describe('the end marker', () => {
  it.each(ENDED)('ends the content in %j', (text, content, remark) => {
    expect(contentOf(text)).toBe(content);
    expect(findDone(text)).toMatchObject({ remark });
  });

  it.each(NOT_ENDED)('is missing in %j', (text) => {
    expect(findDone(text)).toEqual({ kind: 'none' });
  });

  it.each([...ENDED.map(([text]) => text), ...NOT_ENDED])('is the same wherever %j is cut', (text) => {
    const whole = findDone(text);
    for (let i = 0; i <= text.length; i += 1) {
      expect(inPieces([text.slice(0, i), text.slice(i)])).toEqual(whole);
    }
    expect(inPieces(text.split(''))).toEqual(whole);
  });

  it('is the last match of the documented pattern, in any text and any pieces', () => {
    const part = fc.constantFrom('DONE', 'DONE', '\n', '\r\n', '\r', ' ', '\t', 'x', '_', '**', ' DONE');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        const last = [...text.matchAll(/^DONE\s*?$/gm)].at(-1);
        expect(contentOf(text)).toBe(last && text.slice(0, last.index));
        expect(inPieces(parts)).toEqual(findDone(text));
      }),
      { numRuns: 500 },
    );
  });

  it('may still be overruled while text arrives', () => {
    const detector = new DoneDetector();
    const seen = ['a\nDO', 'NE', '\n', 'b\n', 'DONE\n', 'x'.repeat(301)].map((piece) => {
      detector.push(piece);
      return detector.isDone;
    });
    // A line counts once it is complete: after "DONE" there may still come "_FLAG".
    expect(seen).toEqual([false, false, true, true, true, false]);
  });
});
