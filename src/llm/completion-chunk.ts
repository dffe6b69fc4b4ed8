import { z } from 'zod';

/** A field that providers fill with whatever they like: unusable values count as absent. */
const lenient = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);

const usageSchema = z.object({
  prompt_tokens: z.number().nonnegative(),
  completion_tokens: z.number().nonnegative(),
});

const contentPartSchema = z.object({
  type: lenient(z.string()),
  text: lenient(z.string()),
  thinking: z.unknown().optional(),
});

const functionSchema = z.object({
  name: lenient(z.string()),
  /** Text by the specification, an object with some providers. */
  arguments: z.unknown().optional(),
});

const toolCallSchema = z.object({
  index: lenient(z.number().int().nonnegative()),
  id: lenient(z.string()),
  function: lenient(functionSchema),
});

const deltaSchema = z.object({
  content: z.union([z.string(), z.array(contentPartSchema)]).nullish(),
  refusal: lenient(z.string()),
  reasoning_content: lenient(z.string()),
  reasoning: lenient(z.string()),
  thinking: lenient(z.string()),
  tool_calls: z.array(toolCallSchema).nullish(),
  /** The form of a call before parallel calls existed. */
  function_call: lenient(functionSchema),
});

const choiceSchema = z.object({
  index: lenient(z.number()),
  delta: deltaSchema.nullish(),
  /** Instead of `delta` in an answer that was not streamed. */
  message: deltaSchema.nullish(),
  finish_reason: lenient(z.string()),
});

/**
 * One frame of a streamed chat completion, also a whole completion that was not streamed, in every dialect
 * met so far. What carries the answer is checked, decoration is not.
 */
export const completionChunkSchema = z.object({
  choices: z.array(choiceSchema).nullish(),
  usage: lenient(usageSchema),
  x_groq: lenient(z.object({ usage: lenient(usageSchema) })),
});

export type CompletionChunk = z.infer<typeof completionChunkSchema>;
export type CompletionDelta = z.infer<typeof deltaSchema>;
export type CompletionToolCall = z.infer<typeof toolCallSchema>;

/** A frame by which a provider reports, inside a stream that began well, that it failed. */
export interface ErrorFrame {
  /** OpenAI's form; vLLM puts the same fields into the frame itself. */
  readonly error: unknown;
}

/** The frame as an error report; undefined for all others. No schema: failing to match one costs 20 µs a frame. */
export function errorFrame(json: unknown): ErrorFrame | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  if ('error' in json && json.error) return { error: json.error };
  return 'object' in json && json.object === 'error' ? { error: json } : undefined;
}
