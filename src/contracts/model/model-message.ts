import { z } from 'zod';
import type { ToolCall } from '../tools/tool-call.ts';

/** One message of a prompt, in the form of OpenAI chat completions. */
export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly tool_calls?: ToolCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/**
 * Number of characters (UTF-16 units), or of bytes of UTF-8 where a text is measured in bytes, that count as one token
 * where there is no exact count (docs/protocol.md "Budgets").
 */
export const CHARACTERS_PER_TOKEN = 4;

/** The most tokens that an answer may have. Every model call of a turn asks its provider for this limit. */
export const MAX_ANSWER_TOKENS = 8_192;

/** Tokens of one model call, as the provider counted them or as estimated by `CHARACTERS_PER_TOKEN`. */
export const usageSchema = z.object({
  promptTokens: z.number().describe('Tokens of the prompts.'),
  completionTokens: z.number().describe('Tokens that the model generated.'),
  cachedTokens: z.number().optional().describe('The part of `promptTokens` that came from a prompt cache.'),
  cacheWriteTokens: z
    .number()
    .optional()
    .describe('The part of `promptTokens` that was written to a prompt cache.'),
  reasoningTokens: z.number().optional().describe('The part of `completionTokens` that is reasoning.'),
  estimated: z
    .boolean()
    .optional()
    .describe('True if the provider did not count the tokens, so that they were estimated.'),
});
export type TokenUsage = z.infer<typeof usageSchema>;
