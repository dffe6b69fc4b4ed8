import { CHARACTERS_PER_TOKEN, type TokenUsage } from '../../contracts/model/model-message.ts';

/** Returns the estimated usage of a call with this much output, in UTF-16 units. The prompt counts as 0 tokens. */
export const estimateUsage = (characters: number): TokenUsage => ({
  promptTokens: 0,
  completionTokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
  estimated: true,
});

/** Fields that only some providers report. */
const PARTS = ['cachedTokens', 'cacheWriteTokens', 'reasoningTokens'] as const;
type Parts = Pick<TokenUsage, (typeof PARTS)[number]>;

/**
 * Returns the sum of two usages. It is estimated if one of them is. A part that only one of them reports counts as 0 in
 * the other.
 */
export const addUsage = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  ...addParts(a, b),
  ...((a.estimated ?? b.estimated) && { estimated: true }),
});

const addParts = (a: Parts, b: Parts): Parts => {
  const parts = PARTS.filter((part) => a[part] !== undefined || b[part] !== undefined);
  return Object.fromEntries(parts.map((part) => [part, (a[part] ?? 0) + (b[part] ?? 0)]));
};
