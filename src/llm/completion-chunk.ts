import { z } from 'zod';
import type { TokenUsage } from '../contracts/model/model-message.ts';
import { fieldsOf } from '../contracts/values/unchecked-value.ts';
import type { RawDelta } from '../protocol/stream/raw-delta.ts';
import { lenient } from './lenient.ts';
import { tokenCountsSchema, usageOfCounts } from './token-counts.ts';

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
  /** The message that takes the place of `delta` in an answer that was not streamed. */
  message: deltaSchema.nullish(),
  finish_reason: lenient(z.string()),
});

/**
 * One frame of a streamed chat completion, or a whole completion that was not streamed, in every dialect met so far.
 * Only the fields that carry the answer are checked.
 */
export const completionChunkSchema = z.object({
  choices: z.array(choiceSchema).nullish(),
  usage: lenient(tokenCountsSchema),
  x_groq: lenient(z.object({ usage: lenient(tokenCountsSchema) })),
});

export type CompletionChunk = z.infer<typeof completionChunkSchema>;
type CompletionDelta = z.infer<typeof deltaSchema>;
type CompletionToolCall = z.infer<typeof toolCallSchema>;

/** A frame by which a provider reports, inside a stream that began well, that it failed. */
export interface ErrorFrame {
  /** OpenAI's form; vLLM puts the same fields into the frame itself. */
  readonly error: unknown;
}

/**
 * Returns the error that a frame reports. Returns undefined for any other frame. No schema is used, because one that
 * does not match costs 20 µs for each frame.
 */
export const errorFrame = (json: unknown): ErrorFrame | undefined => {
  const { error, object } = fieldsOf(json);
  if (error) return { error };
  return object === 'error' ? { error: json } : undefined;
};

/** Why a provider ended an answer, in OpenAI's four words. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

const DIALECTS: Readonly<Record<string, FinishReason>> = {
  function_call: 'tool_calls',
  tool_use: 'tool_calls',
  tool_calls: 'tool_calls',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
  safety: 'content_filter',
  recitation: 'content_filter',
};

/** Reasons which mean that the provider gave up, so that the answer is not whole. */
const FAILURES: ReadonlySet<string> = new Set(['error', 'abort', 'insufficient_system_resource']);

/**
 * Reads a `finish_reason` from the wire. Returns one of OpenAI's words, `failed` for a provider that gave up, or
 * undefined for none (some providers send `""` or `"null"` with every frame). Unknown words such as `eos` and
 * `end_turn` count as `stop`.
 */
export const finishReason = (wire: string | null | undefined): FinishReason | 'failed' | undefined => {
  const word = wire?.trim().toLowerCase();
  if (!word || word === 'null') return undefined;
  if (FAILURES.has(word)) return 'failed';
  return Object.hasOwn(DIALECTS, word) ? DIALECTS[word] : 'stop';
};

type RawCallDelta = Extract<RawDelta, { type: 'call' }>;

/** Returns the first choice, the only one that is asked for. Others, which some gateways add, are ignored. */
export const firstChoice = (chunk: CompletionChunk) => chunk.choices?.find(({ index }) => !index);

/** Returns what one frame adds to the answer, except its finish reason, in the order thoughts, text, calls, usage. */
export const chunkDeltas = (chunk: CompletionChunk): RawDelta[] => {
  const choice = firstChoice(chunk);
  const delta = choice?.delta ?? choice?.message;
  const usage = usageOf(chunk);
  return [...(delta ? answerDeltas(delta) : []), ...(usage ? [{ type: 'usage', usage } as const] : [])];
};

const answerDeltas = (delta: CompletionDelta): RawDelta[] => {
  const { text, thinking } = contentOf(delta);
  const deltas: RawDelta[] = [];
  if (thinking) deltas.push({ type: 'reasoning', text: thinking });
  if (text) deltas.push({ type: 'text', text });
  for (const call of delta.tool_calls ?? []) deltas.push(callDelta(call));
  if (delta.function_call) deltas.push(callDelta({ index: 0, function: delta.function_call }));
  return deltas;
};

const contentOf = (delta: CompletionDelta): { text: string; thinking: string } => {
  // Some servers send the same words in two of these fields while they rename one, so only the first that is not empty
  // counts.
  const thinking = delta.reasoning_content || delta.reasoning || delta.thinking || '';
  const { content } = delta;
  if (!Array.isArray(content)) return { text: `${content ?? ''}${delta.refusal ?? ''}`, thinking };
  return {
    text: content.map((part) => part.text ?? '').join(''),
    thinking: thinking + content.map((part) => thoughtText(part.thinking)).join(''),
  };
};

/** Mistral wraps thoughts in a list of text parts inside another part. */
const thoughtText = (thought: unknown): string => {
  if (typeof thought === 'string') return thought;
  if (Array.isArray(thought)) return thought.map(thoughtText).join('');
  const { text } = fieldsOf(thought);
  return typeof text === 'string' ? text : '';
};

const callDelta = (call: CompletionToolCall): RawDelta => {
  const delta: { -readonly [K in keyof RawCallDelta]: RawCallDelta[K] } = { type: 'call' };
  if (typeof call.index === 'number') delta.index = call.index;
  if (call.id) delta.id = call.id;
  if (call.function?.name) delta.name = call.function.name;
  const text = argumentText(call.function?.arguments);
  if (text !== undefined) delta.arguments = text;
  return delta;
};

const argumentText = (value: unknown): string | undefined => {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const usageOf = (chunk: CompletionChunk): TokenUsage | undefined => {
  const counts = chunk.usage ?? chunk.x_groq?.usage;
  return counts ? usageOfCounts(counts) : undefined;
};
