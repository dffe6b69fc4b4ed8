/** Checks that the search is linear: no content and no piece make it take the product of their lengths. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findPlaces } from '../../../src/tools/edit/find-places.ts';
import { lineAt, lineStartsOf } from '../../../src/tools/edit/line-starts.ts';
import { growthOf } from '../../support/growth.ts';

const noShare = (): Promise<void> => Promise.resolve();
const find = (content: Buffer, piece: Buffer, kept = 1_000) => findPlaces(content, piece, kept, noShare);

describe('places of a piece', () => {
  it('are those of a look at every offset', async () => {
    const bytes = fc.array(fc.constantFrom(0x61, 0x62), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        bytes,
        fc.array(fc.constantFrom(0x61, 0x62), { minLength: 1, maxLength: 5 }),
        async (all, one) => {
          const [content, piece] = [Buffer.from(all), Buffer.from(one)];
          const expected = all.flatMap((_, i) =>
            content.subarray(i, i + piece.length).equals(piece) ? [i] : [],
          );
          expect(await find(content, piece)).toEqual({ count: expected.length, at: expected });
          expect((await find(content, piece, 1)).at).toEqual(expected.slice(0, 1));
        },
      ),
    );
  });

  it('are found across the borders of blocks', async () => {
    const content = Buffer.alloc(1_000_000, 'x');
    const piece = Buffer.from(`${'y'.repeat(20_000)}z`);
    piece.copy(content, 262_144 - 10_000);
    piece.copy(content, 524_288 - 1);
    expect((await find(content, piece)).at).toEqual([262_144 - 10_000, 524_288 - 1]);
  });

  it('take no longer to find when they are long and every offset begins like one', async () => {
    const content = Buffer.alloc(4_000_000, 'a');
    const look = (length: number) => find(content, Buffer.from(`${'a'.repeat(length)}b`));
    expect(await look(16_000)).toEqual({ count: 0, at: [] });
    // The product of both lengths would take sixteen times as long.
    expect(await growthOf(look, { small: 1_000, large: 16_000 })).toBeLessThan(6);
  });
});

describe('lines', () => {
  it('begin where the line breaks say, in any text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'bc', '\n'), { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        const starts = lineStartsOf(Buffer.from(text));
        const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        expect(starts).toHaveLength(lines.length);
        for (let offset = 0; offset < text.length; offset += 1) {
          const line = lineAt(starts, offset);
          expect(line).toBe(text.slice(0, offset).split('\n').length - 1);
        }
      }),
    );
  });
});
