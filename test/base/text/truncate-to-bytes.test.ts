import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { truncateToBytes } from '../../../src/base/text/truncate-to-bytes.ts';

it('cuts no character and returns the longest beginning that fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.nat(90), (any, room) => {
      const whole = any.toWellFormed();
      const start = truncateToBytes(whole, room);
      expect(whole.startsWith(start)).toBe(true);
      expect(start.isWellFormed()).toBe(true);
      expect(Buffer.byteLength(start)).toBeLessThanOrEqual(room);
      const next = whole.codePointAt(start.length);
      if (next !== undefined) {
        expect(Buffer.byteLength(start + String.fromCodePoint(next))).toBeGreaterThan(room);
      }
    }),
    { numRuns: 500 },
  );
});

it('keeps a replacement character that the text itself has at the cut', () => {
  expect(truncateToBytes('a\ufffdb', 4)).toBe('a\ufffd');
  expect(truncateToBytes('a\ufffdb', 3)).toBe('a');
});
