import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { firstWords } from '../../src/turn-service/turn-start-options.ts';

describe('the first words of a prompt', () => {
  it.each([
    ['Why is the sky blue?', 'Why is the sky blue?'],
    ['  two\n\tlines \u2028 here ', 'two lines here'],
    ['', ''],
    [`${'x'.repeat(79)}y`, `${'x'.repeat(79)}y`],
    [`${'x'.repeat(79)}yz`, `${'x'.repeat(79)}…`],
    [`${'word '.repeat(15)}  end of it`, `${'word '.repeat(15)}end…`],
    ['\u001b]0;title\u0007red \u202egnihton', ']0;title red gnihton'],
    ['my password=hunter2 is old', 'my password=[redacted] is old'],
    [`use sk-${'a1'.repeat(200)} please`, 'use [redacted] please'],
  ])('of %j', (content, expected) => {
    expect(firstWords(content)).toBe(expected);
  });

  it('are one line of at most 80 whole characters, whatever was asked', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (content) => {
        const words = firstWords(content);
        expect([...words].length).toBeLessThanOrEqual(80);
        expect(words).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });
});
