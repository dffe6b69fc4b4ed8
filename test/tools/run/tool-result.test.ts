import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shownBytes } from '../../../src/base/json/json-limit.ts';
import { toSafeJson } from '../../../src/base/json/safe-json.ts';
import type { JsonValue } from '../../../src/contracts/values/json-value.ts';
import { limitForModel, MODEL_RESULT_BYTES } from '../../../src/tools/run/tool-result.ts';
import { growthOf } from '../../support/growth.ts';

const MARKER = /… truncated, (\d+) of (\d+) bytes shown$/;

/** Texts whose characters take one to four bytes, and up to six inside JSON. */
const text = fc
  .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 20_000 }))
  .map(([unit, times]) => unit.toWellFormed().repeat(times));

describe('result limit', () => {
  it('leaves a result that fits unchanged', () => {
    const value = { content: 'x'.repeat(30_000), list: [1, null, true] };
    expect(limitForModel(value)).toEqual(value);
  });

  it('cuts a text to a prefix of whole characters, within the limit, with correct numbers', () => {
    fc.assert(
      fc.property(text, (long) => {
        const limited = limitForModel({ content: long, path: 'a' });
        expect(shownBytes(limited)).toBeLessThanOrEqual(MODEL_RESULT_BYTES);
        const { content } = limited as { content: string };
        if (content === long) return;
        const [marker, shown, total] = MARKER.exec(content) ?? [];
        const kept = content.slice(0, -(marker?.length ?? 0) - 1);
        expect(long.startsWith(kept)).toBe(true);
        expect(kept.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(kept)).toBe(Number(shown));
        expect(Buffer.byteLength(long)).toBe(Number(total));
        // As much as possible is shown: 31 KiB without marker and frame, even at six bytes for each character.
        expect(Buffer.byteLength(JSON.stringify(kept))).toBeGreaterThan(30_000);
      }),
      { numRuns: 60 },
    );
  });

  it.each<[string, JsonValue]>([
    ['many small fields', Array.from({ length: 20_000 }, (_, index) => ({ name: `n${index}`, ok: true }))],
    ['the same long text twice', { a: 'é'.repeat(40_000), b: 'é'.repeat(40_000) }],
    ['two long texts', ['a'.repeat(40_000), 'b'.repeat(39_000)]],
    ['long keys', { ['k'.repeat(100_000)]: 1 }],
    ['a bare text', '"\n'.repeat(100_000)],
  ])('cuts %s to the limit, and marks it', (_name, value) => {
    const limited = limitForModel(value);
    expect(shownBytes(limited)).toBeLessThanOrEqual(MODEL_RESULT_BYTES);
    expect(JSON.stringify(limited)).toMatch(/… truncated, \d+ of \d+ bytes shown/);
  });

  it('cuts 50 MB in time proportional to their size', async () => {
    const cut = (stdout: string): JsonValue => limitForModel(toSafeJson({ stdout }));
    const [small, large] = ['x'.repeat(5_000_000), 'x'.repeat(50_000_000)];
    expect(JSON.stringify(cut(large))).toContain('of 50000000 bytes shown');
    expect(await growthOf(cut, { small, large })).toBeLessThan(40);
  });
});
