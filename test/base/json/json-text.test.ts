import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonTextBytes, truncateToJsonBytes } from '../../../src/base/json/json-text.ts';

describe('bytes of a text as JSON', () => {
  it('are those of JSON.stringify, for every UTF-16 unit', () => {
    const differing = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(
      (text) => jsonTextBytes(text) !== Buffer.byteLength(JSON.stringify(text)) - 2,
    );
    expect(differing).toEqual([]);
  });

  it('are those of JSON.stringify, for texts with halves of characters', () => {
    const unit = fc.oneof(
      fc.constantFrom('\ud83d', '\ude00', '"', '\n', 'ü', '\0'),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(unit), (parts) => {
        const text = parts.join('');
        return jsonTextBytes(text) === Buffer.byteLength(JSON.stringify(text)) - 2;
      }),
    );
  });
});

it('a beginning never splits a character and is the longest that fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.nat(90), (any, room) => {
      const whole = any.toWellFormed();
      const start = truncateToJsonBytes(whole, room);
      const size = (part: string) => Buffer.byteLength(JSON.stringify(part)) - 2;
      expect(whole.startsWith(start)).toBe(true);
      expect(start.isWellFormed()).toBe(true);
      expect(size(start)).toBeLessThanOrEqual(room);
      const next = whole.codePointAt(start.length);
      if (next !== undefined) expect(size(start + String.fromCodePoint(next))).toBeGreaterThan(room);
    }),
    { numRuns: 500 },
  );
});
