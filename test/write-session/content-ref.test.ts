/** Covers what is said of a content, and what replaces it in later prompts. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contentRefOf } from '../../src/write-session/content-ref.ts';
import { notWrittenLine, withLines, writtenLine } from '../../src/write-session/replaced-text.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('facts of a content', () => {
  it('name it as node:crypto does, for every length around a block', () => {
    for (let length = 0; length <= 260; length += 1) {
      const text = Array.from({ length }, (_, i) => String.fromCharCode((i * 37) % 128)).join('');
      expect(contentRefOf(text).sha256).toBe(hashOf(text));
    }
  });

  it('name any text so, also one that is no Unicode', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 2_000 }), fc.constant('lone \ud800'));
    fc.assert(fc.property(texts, (text) => expect(contentRefOf(text).sha256).toBe(hashOf(text))));
  });

  it('count UTF-8 bytes, and lines whose last may lack its break', () => {
    expect(contentRefOf('a\nä😀\n')).toMatchObject({ bytes: 9, lines: 2 });
    expect(contentRefOf('a\nb')).toMatchObject({ bytes: 3, lines: 2 });
    expect(contentRefOf('')).toMatchObject({ bytes: 0, lines: 0 });
  });
});

describe('the line that stands for a file', () => {
  const content = { sha256: 'a'.repeat(64), bytes: 9, lines: 2_000 };

  it('names target, lines and hash', () => {
    expect(writtenLine('docs/big.md', content)).toBe(
      `[wrote docs/big.md: 2,000 lines, sha256 ${'a'.repeat(64)}]`,
    );
    expect(notWrittenLine('a', { ...content, lines: 1 })).toContain('[did not write a: 1 line, sha256 a');
  });

  it('replaces the file in the reply, and nothing where the ranges do not fit', () => {
    const replaced = [
      { from: 4, to: 8, line: '[1]' },
      { from: 9, to: 12, line: '[2]' },
    ];
    expect(withLines('pre FILE FIL2 end', replaced)).toBe('pre [1] [2]2 end');
    expect(withLines('short', replaced)).toBe('short');
    expect(withLines('pre FILE', [])).toBe('pre FILE');
    expect(withLines('abcdef', [{ from: 3, to: 1, line: 'x' }])).toBe('abcdef');
  });
});
