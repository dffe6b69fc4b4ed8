import { describe, expect, it } from '@jest/globals';
import { tooLongWords } from '../../../src/web/composer/too-long-words.ts';

const MAX = 256 * 1_024;

describe('a message', () => {
  it.each([
    ['letters', 'a'.repeat(MAX)],
    ['letters of two bytes', 'é'.repeat(MAX / 2)],
    ['of four', '😀'.repeat(MAX / 4)],
  ])('of %s is as long as it may be', (_, text) => {
    expect(tooLongWords(text)).toBeUndefined();
    expect(tooLongWords(`${text}a`)).toBe('Too long by 0.1 KiB: a message may have 256 KiB.');
  });

  it('is shown with how much it is too long', () => {
    expect(tooLongWords('a'.repeat(MAX + 10 * 1_024))).toBe(
      'Too long by 10.0 KiB: a message may have 256 KiB.',
    );
  });
});
