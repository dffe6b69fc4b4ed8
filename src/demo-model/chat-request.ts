import { z } from 'zod';

const textPartSchema = z.object({ text: z.string().optional() });
const contentSchema = z
  .union([z.string(), z.array(textPartSchema)])
  .nullish()
  .transform((content) => {
    if (typeof content === 'string') return content;
    return content?.map(({ text }) => text ?? '').join('') ?? '';
  });

const messageSchema = z.object({
  role: z.string(),
  content: contentSchema,
  tool_calls: z
    .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
    .nullish(),
  tool_call_id: z.string().nullish(),
});
/** One message of a chat completion request, as the demo model reads it. */
export type RequestMessage = z.infer<typeof messageSchema>;

/** The part of a chat completion request that the demo model understands; the rest is ignored. */
export const chatRequestSchema = z.object({
  messages: z.array(messageSchema).min(1),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.number().int().positive().nullish(),
  max_completion_tokens: z.number().int().positive().nullish(),
});
/** A chat completion request, as far as the demo model understands it. */
export type ChatRequest = z.infer<typeof chatRequestSchema>;
