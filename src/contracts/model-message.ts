import { z } from 'zod';
import type { ToolCall } from './tool-call.ts';

/** One message of a prompt, in the form of OpenAI chat completions. */
export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly tool_calls?: ToolCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/** Tokens of one model call, as the provider counted them or as estimated (characters / 4). */
export const usageSchema = z.object({
  promptTokens: z.number(),
  completionTokens: z.number(),
  estimated: z.boolean().optional(),
});
export type Usage = z.infer<typeof usageSchema>;
