import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FallbackModel } from '../../../src/contracts/model/fallback-model.ts';
import { chooseFallback } from '../../../workflows/turn/choose-fallback.ts';

const chain: fc.Arbitrary<FallbackModel[]> = fc
  .array(fc.nat({ max: 100 }), { maxLength: 5 })
  .map((sizes) => sizes.map((promptTokens, i) => ({ model: `m${i}`, promptTokens })));

describe('the model that takes over a call', () => {
  it('is the first whose prompts may have as many tokens', () => {
    const left = [
      { model: 'small', promptTokens: 10 },
      { model: 'large', promptTokens: 1_000 },
      { model: 'last', promptTokens: 1_000 },
    ];
    expect(chooseFallback(left, 10)?.model).toBe('small');
    expect(chooseFallback(left, 11)).toEqual({
      model: 'large',
      promptTokens: 1_000,
      remaining: left.slice(2),
    });
    expect(chooseFallback(left, 1_001)).toBeUndefined();
    expect(chooseFallback([], 0)).toBeUndefined();
  });

  it('is never too small, nor called twice, however often a call fails', () => {
    fc.assert(
      fc.property(chain, fc.nat({ max: 100 }), (models, tokens) => {
        const asked: string[] = [];
        for (
          let next = chooseFallback(models, tokens);
          next !== undefined;
          next = chooseFallback(next.remaining, tokens)
        ) {
          asked.push(next.model);
        }
        const fitting = models.filter(({ promptTokens }) => promptTokens >= tokens);
        expect(asked).toEqual(fitting.map(({ model }) => model));
      }),
    );
  });
});
