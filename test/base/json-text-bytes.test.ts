import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonTextBytes } from '../../src/base/json-text-bytes.ts';

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
