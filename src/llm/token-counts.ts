import { z } from 'zod';
import type { TokenUsage } from '../contracts/model/model-message.ts';
import { lenient } from './lenient.ts';

/** More tokens than any call has; a larger number is no count. */
const MAX_TOKENS = 1_000_000_000;
const count = z.number().int().nonnegative().max(MAX_TOKENS);

/** The `usage` of an answer, in every dialect met so far. */
export const tokenCountsSchema = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: lenient(count),
  /** OpenRouter reports tokens written to a cache as `cache_write_tokens`, LiteLLM as `cache_creation_tokens`. */
  prompt_tokens_details: lenient(
    z.object({
      cached_tokens: lenient(count),
      cache_write_tokens: lenient(count),
      cache_creation_tokens: lenient(count),
    }),
  ),
  completion_tokens_details: lenient(z.object({ reasoning_tokens: lenient(count) })),
  /** DeepSeek's name for `cached_tokens`. */
  prompt_cache_hit_tokens: lenient(count),
});

type TokenCounts = z.infer<typeof tokenCountsSchema>;

/**
 * Returns tokens as Orion counts them. Tokens read from a cache or written to it are parts of `promptTokens`, and those
 * of reasoning are part of `completionTokens`. Each part is absent if the provider does not report it. A part that is
 * larger than its whole is cut to it.
 */
export const usageOfCounts = (counts: TokenCounts): TokenUsage => {
  const promptTokens = counts.prompt_tokens;
  const completionTokens = completionTokensOf(counts);
  const details = counts.prompt_tokens_details;
  const cached = atMost(promptTokens, details?.cached_tokens ?? counts.prompt_cache_hit_tokens);
  const written = details?.cache_write_tokens ?? details?.cache_creation_tokens;
  const cacheWrite = atMost(promptTokens - (cached ?? 0), written);
  const reasoning = atMost(completionTokens, reasoningOf(counts));
  return {
    promptTokens,
    completionTokens,
    ...(cached !== undefined && { cachedTokens: cached }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
};

const reasoningOf = ({ completion_tokens_details: details }: TokenCounts): number | undefined =>
  details?.reasoning_tokens ?? undefined;

/** Returns the tokens of the completion with its reasoning. xAI leaves reasoning out, which only the total shows. */
const completionTokensOf = (counts: TokenCounts): number => {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = counts;
  const reasoning = reasoningOf(counts) ?? 0;
  return total === prompt + completion + reasoning ? completion + reasoning : completion;
};

const atMost = (whole: number, part: number | null | undefined): number | undefined =>
  part === null || part === undefined ? undefined : Math.min(whole, part);
