/** Covers two texts of a file beside each other, one of which may still grow. */
import { describe, expect, it } from '@jest/globals';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { unifiedDiffLines, growingTexts } from '../../../src/web/changes/compared-texts.ts';

const overwritten = (text: string | null, written: string) =>
  growingTexts({ operation: 'overwrite', text }, written);

describe('a file that grows', () => {
  it('is compared as far as it has come, without the line that is being written', () => {
    expect(overwritten('a\nb\nc\n', 'a\nB\nhal')).toEqual({
      texts: { before: 'a\nb\n', after: 'a\nB\n' },
      unreachedLines: 1,
    });
    expect(overwritten('a\nb\nc', '')).toEqual({ texts: { before: '', after: '' }, unreachedLines: 3 });
    expect(overwritten('a\nb\n', 'x\na\nb\n')).toEqual({
      texts: { before: 'a\nb\n', after: 'x\na\nb\n' },
      unreachedLines: 0,
    });
    expect(overwritten('a\n', 'a\nb\nc\n')?.unreachedLines).toBe(0);
  });

  it('is new where there is no file, and follows the present text when it is appended', () => {
    expect(overwritten(null, 'a\nb')).toEqual({ texts: { before: null, after: 'a\n' }, unreachedLines: 0 });
    expect(growingTexts({ operation: 'append', text: 'a' }, 'b\nc')).toEqual({
      texts: { before: 'a', after: 'ab\n' },
      unreachedLines: 0,
    });
  });

  const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n');
  const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(''));

  it('is never shown to remove what it has not reached, and loses nothing of either text', () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom('', 'un', 'a'), (before, written, partial) => {
        const growing = overwritten(before, written + partial);
        if (growing === undefined) throw new Error('expected short texts to be compared');
        const { texts, unreachedLines: unreached } = growing;
        const kept = texts.before ?? '';
        expect(before.startsWith(kept)).toBe(true);
        expect(before.slice(kept.length).split('\n').length - 1).toBe(unreached);
        expect(texts.after).toBe(written);
        const patch = unifiedDiffLines('f', texts)?.join('\n') ?? '';
        expect(applyPatch(kept, `${patch}\n`)).toBe(written);
        // Before anything is written, no line of the old file has been reached.
        if (written === '') expect(unreached).toBe(before.split('\n').length - 1);
      }),
    );
  });

  it('is not compared when it is too long to do so in time', () => {
    const many = (seed: number): string =>
      Array.from({ length: 20_000 }, (_, index) => `${(index * seed) % 7_919}\n`).join('');
    expect(growingTexts({ operation: 'overwrite', text: many(3) }, many(5), 1)).toBeUndefined();
  });
});
