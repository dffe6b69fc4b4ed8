import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineSplitter } from '../../../src/live/http/line-splitter.ts';

/** Feeds the splitter the bytes, cut at the given places. */
const split = (bytes: Buffer, cuts: readonly number[], maxBytes = 1_000_000) => {
  const splitter = new LineSplitter(maxBytes);
  const lines: string[] = [];
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  const fits = places.every((from, index) =>
    splitter.feed(bytes.subarray(from, places[index + 1] ?? bytes.length), (line) => lines.push(line)),
  );
  return { lines, fits };
};

describe('lines, however the bytes arrive,', () => {
  it('are the same, even when a cut goes through a character', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((text) => !text.includes('\n'));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const within = cuts.map((cut) => cut % (bytes.length + 1));
        expect(split(bytes, within)).toEqual({ lines, fits: true });
      }),
    );
  });

  it('are the same for every single cut of a batch line', () => {
    const text = '{"epoch":101,"seq":1,"events":["naïve 🙂\\n"]}\n\n{"epoch":101}\n';
    const bytes = Buffer.from(text);
    const expected = text.split('\n').slice(0, -1);
    for (let cut = 0; cut <= bytes.length; cut += 1) expect(split(bytes, [cut]).lines).toEqual(expected);
  });

  it('are not delivered before their newline', () => {
    expect(split(Buffer.from('done\nnot yet'), [2])).toEqual({ lines: ['done'], fits: true });
  });

  it.each([
    ['within one chunk', []],
    ['over many chunks', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
  ])('end at the limit %s, after the lines before', (_, cuts) => {
    expect(split(Buffer.from('12345\n67890\n123456'), cuts, 5)).toEqual({
      lines: ['12345', '67890'],
      fits: false,
    });
  });
});
