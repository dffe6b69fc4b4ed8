import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ModelPrice } from '../../src/contracts/model/model-price.ts';
import { costOf, reservedCosts } from '../../src/llm/call-cost.ts';

/** Prices of 2, 0.5, 2.5 and 8 per million tokens. */
const price: ModelPrice = { input: 2e6, cached: 0.5e6, cacheWrite: 2.5e6, output: 8e6 };

describe('the cost of a call', () => {
  it('counts each token once, at the price of its kind', () => {
    const usage = { promptTokens: 1_000, completionTokens: 10, cachedTokens: 600, cacheWriteTokens: 100 };
    expect(costOf(price, usage)).toBe(300 * 2 + 600 * 0.5 + 100 * 2.5 + 10 * 8);
    expect(costOf(price, { ...usage, reasoningTokens: 10 })).toBe(costOf(price, usage));
  });

  it('is exact, and rounded up to a whole millionth', () => {
    const cheap = { input: 28_000, cached: 0, cacheWrite: 28_000, output: 1 };
    expect(costOf(cheap, { promptTokens: 1_000, completionTokens: 0 })).toBe(28);
    expect(costOf(cheap, { promptTokens: 0, completionTokens: 1 })).toBe(1);
    expect(costOf(cheap, { promptTokens: 0, completionTokens: 0 })).toBe(0);
    const expensive = { ...cheap, input: 1e12 };
    expect(costOf(expensive, { promptTokens: 1_000_000_000, completionTokens: 0 })).toBe(1e15);
  });

  it('is reserved for the whole prompt at its highest price, and for the longest answer', () => {
    expect(reservedCosts(price, 1_000, 50)).toEqual({
      promptCost: 2_500,
      maxCost: 2_500 + 50 * 8,
      outputPrice: 8e6,
    });
  });

  it('is never less than the real one when no cache is assumed', () => {
    const prices = fc.record({
      input: fc.nat(10_000_000),
      cached: fc.nat(10_000_000),
      cacheWrite: fc.nat(10_000_000),
      output: fc.nat(10_000_000),
    });
    const parts = fc.tuple(fc.nat(100_000), fc.nat(100_000), fc.nat(100_000));
    fc.assert(
      fc.property(prices, parts, (given, [fresh, cached, written]) => {
        const cheapCache = { ...given, cached: Math.min(given.cached, given.input) };
        const promptTokens = fresh + cached + written;
        const usage = { promptTokens, completionTokens: 0, cachedTokens: cached, cacheWriteTokens: written };
        expect(costOf(cheapCache, usage)).toBeLessThanOrEqual(
          reservedCosts(cheapCache, promptTokens, 0).promptCost,
        );
      }),
    );
  });
});
