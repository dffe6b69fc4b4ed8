/** Checks that bytes in chunks get the same judgement as the whole, wherever they are cut. */
import { isUtf8 } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { array, assert, constantFrom, nat, oneof, property, string, uint8Array } from 'fast-check';
import { Utf8Check } from '../../../src/files/content-store/content-measure.ts';

const judge = (bytes: Uint8Array, cuts: readonly number[]): boolean => {
  const check = new Utf8Check();
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).every((end, i) => check.add(bytes.subarray(at[i], end))) && check.end();
};

const character = constantFrom('a', 'é', '€', '🙂', '\0', '\ufeff', '\u3000');
const texts = array(oneof(character, string({ unit: 'grapheme' }))).map((parts) =>
  Buffer.from(parts.join('')),
);
/** Bytes that begin a character, continue one, or are invalid in UTF-8. */
const bytes = array(constantFrom(0x61, 0x80, 0xbf, 0xc0, 0xc3, 0xe2, 0xed, 0xa0, 0xf0, 0xf4, 0xff), {
  maxLength: 9,
}).map((list) => Uint8Array.from(list));

describe('UTF-8 in chunks', () => {
  it('text passes wherever it is cut', () => {
    assert(
      property(texts, array(nat(), { maxLength: 8 }), (text, cuts) => expect(judge(text, cuts)).toBe(true)),
    );
  });

  it('any other bytes are found, as they are in one piece', () => {
    assert(
      property(oneof(bytes, uint8Array()), array(nat(), { maxLength: 8 }), (data, cuts) =>
        expect(judge(data, cuts)).toBe(isUtf8(data)),
      ),
      { numRuns: 1_000 },
    );
  });
});
