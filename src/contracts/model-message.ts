import { z } from 'zod';
import { toolCallSchema } from './tool-call.ts';

/** One message of a prompt, in the form of OpenAI chat completions. */
export const modelMessageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({
    role: z.literal('assistant'),
    content: z.string(),
    tool_calls: z.array(toolCallSchema).optional(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
]);
export type ModelMessage = z.infer<typeof modelMessageSchema>;

/** Tokens of one model call, as the provider counted them or as estimated (characters / 4). */
export const usageSchema = z.object({
  promptTokens: z.number(),
  completionTokens: z.number(),
  estimated: z.boolean().optional(),
});
export type Usage = z.infer<typeof usageSchema>;
