/** Covers a model that repeats itself (docs/protocol.md "Duplicates"). */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { endsInRepetition, RepetitionDetector } from '../../../src/protocol/stream/repetition.ts';

const verdict = (parts: readonly string[]): number | undefined => {
  const detector = new RepetitionDetector();
  let before = 0;
  for (const part of parts) {
    const at = detector.scan(part);
    if (at !== undefined) return before + at;
    before += part.length;
  }
  return undefined;
};

const words = (count: number): string =>
  Array.from({ length: count }, (_, i) => `word${i * 7_919} `).join('');

describe('repetition', () => {
  it.each([1, 2, 37, 299, 300])('is a unit of %i characters that fills the last 4,000', (length) => {
    const unit = words(60).slice(0, length);
    const at = verdict([words(100), unit.repeat(9_000 / length)]) ?? 0;
    expect(at).toBeGreaterThanOrEqual(words(100).length + 4_000 - 300);
    expect(at).toBeLessThanOrEqual(words(100).length + 4_400);
  });

  it('is not found for a longer unit, a shorter stretch or varied text', () => {
    expect(verdict([words(60).slice(0, 301).repeat(40)])).toBeUndefined();
    expect(verdict(['again '.repeat(600)])).toBeUndefined();
    expect(verdict([words(5_000)])).toBeUndefined();
  });

  it.each(['```', '~~~~', '   ```'])('is not looked for inside of code fences (%j)', (fence) => {
    expect(verdict([`Zeros:\n${fence}csv\n${'0,0,0,0\n'.repeat(2_000)}`])).toBeUndefined();
  });

  it('is found after a fence was closed, and in text around fences', () => {
    const fenced = '```\ncode\n```\n';
    expect(verdict([fenced, 'again '.repeat(1_000)])).toBe(fenced.length + 4_000);
    // Half of each unit is inside its fence.
    expect(verdict([`Let me look.\n${fenced}`.repeat(400)])).toBe(7_991);
    expect(verdict([`\`\`\`\`\n\`\`\`\n${'0,0\n'.repeat(2_000)}`])).toBeUndefined();
    expect(verdict(['`inline` and on '.repeat(500)])).toBe(4_000);
  });

  it('is found at the same character wherever the text is cut', () => {
    const repeated = `${words(30)}\n\`\`\`\nx\n\`\`\`\n${'Let me check that again.\n'.repeat(300)}`;
    const whole = verdict([repeated]);
    expect(whole).toBeDefined();
    fc.assert(
      fc.property(fc.array(fc.nat(repeated.length), { maxLength: 30 }), (cuts) => {
        const sorted = [0, ...cuts.sort((a, b) => a - b), repeated.length];
        expect(verdict(sorted.slice(1).map((to, i) => repeated.slice(sorted[i], to)))).toBe(whole);
      }),
      { numRuns: 20 },
    );
  });

  it('is found at the first look at which a unit fills the window, whatever the text before it', () => {
    const isFilled = (text: string): boolean =>
      Array.from({ length: 300 }, (_, i) => i + 1).some((unit) => text.slice(unit) === text.slice(0, -unit));
    const said = fc.array(
      fc.tuple(fc.string({ unit: fc.constantFrom('a', 'b', ' '), minLength: 1, maxLength: 310 }), fc.nat(60)),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(said, (parts) => {
        const text = parts.map(([unit, times]) => unit.repeat(times)).join('');
        const looks = Array.from({ length: text.length / 200 }, (_, i) => (i + 1) * 200);
        const first = looks.find((at) => at >= 4_000 && isFilled(text.slice(at - 4_000, at)));
        expect(verdict([text])).toBe(first);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a whole text', () => {
  it.each([1, 13, 100])('ends in repetition when half of it is a unit of %i characters', (length) => {
    const unit = words(60).slice(0, length);
    expect(endsInRepetition(words(40) + unit.repeat(1_000 / length))).toBe(true);
    expect(endsInRepetition(unit.repeat(9_000 / length) + unit.slice(0, length / 2))).toBe(true);
  });

  it('does not end in repetition when its end differs, or when it is short', () => {
    for (const text of ['', 'Yes. '.repeat(10), words(60), `${'Tea. '.repeat(200)}But Ada wants coffee.`]) {
      expect(endsInRepetition(text)).toBe(false);
    }
    expect(endsInRepetition(words(60).slice(0, 301).repeat(20))).toBe(false);
  });
});
