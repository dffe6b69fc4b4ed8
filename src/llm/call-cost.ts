import type { ModelPrice, ReservedCosts } from '../contracts/model/model-price.ts';
import type { TokenUsage } from '../contracts/model/model-message.ts';

const PER_MILLIONTH = 1_000_000n;

/**
 * Returns the cost of a call, in whole millionths of the currency. It is rounded up, so a call that is not free costs
 * at least one millionth.
 */
export const costOf = (price: ModelPrice, usage: TokenUsage): number => {
  const { promptTokens, completionTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage;
  const parts: readonly (readonly [tokens: number, price: number])[] = [
    [promptTokens - cachedTokens - cacheWriteTokens, price.input],
    [cachedTokens, price.cached],
    [cacheWriteTokens, price.cacheWrite],
    [completionTokens, price.output],
  ];
  const sum = parts.reduce((total, [tokens, each]) => total + BigInt(tokens) * BigInt(each), 0n);
  return Number((sum + PER_MILLIONTH - 1n) / PER_MILLIONTH);
};

/** Returns what is reserved for a call whose prompt has `promptTokens` and whose answer has at most `maxTokens`. */
export const reservedCosts = (price: ModelPrice, promptTokens: number, maxTokens: number): ReservedCosts => {
  const promptCost = uncachedCost(price, promptTokens);
  const maxCost = promptCost + costOf(price, { promptTokens: 0, completionTokens: maxTokens });
  return { promptCost, maxCost, outputPrice: price.output };
};

/**
 * Returns the cost of prompt tokens that no cache holds, in whole millionths of the currency. The price is that of
 * plain input or of input that is written to a cache, whichever is higher.
 */
const uncachedCost = ({ input, cacheWrite }: ModelPrice, promptTokens: number): number =>
  costOf(
    { input: Math.max(input, cacheWrite), cached: 0, cacheWrite: 0, output: 0 },
    { promptTokens, completionTokens: 0 },
  );
