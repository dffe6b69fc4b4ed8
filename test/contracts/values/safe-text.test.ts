import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { safeText } from '../../../src/contracts/values/safe-text.ts';

describe('safeText', () => {
  it('replaces NUL and lone surrogates, and nothing else', () => {
    expect(safeText('a\0b\ud800c\udc00d')).toBe('a\uFFFDb\uFFFDc\uFFFDd');
    const fine = 'ä 😀 \u0001 \ufeff \u2028 ﷽ \ufffd';
    expect(safeText(fine)).toBe(fine);
  });

  it('gives text that UTF-8 carries unchanged, of the same length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(0xffff), (text, unit) => {
        const safe = safeText(text + String.fromCharCode(unit));
        expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(safe))).toBe(
          safe,
        );
        expect(safe).toHaveLength(text.length + 1);
        expect(safe).not.toContain('\0');
      }),
    );
  });
});
