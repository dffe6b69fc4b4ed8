import type { Usage } from '../contracts/model-message.ts';
import type { RawDelta } from '../protocol/stream/model-stream.ts';
import type { CompletionChunk, CompletionDelta, CompletionToolCall } from './completion-chunk.ts';

type CallDelta = Extract<RawDelta, { type: 'call' }>;

/** The one choice that is asked for; others, which some gateways add, are left alone. */
export const firstChoice = (chunk: CompletionChunk) => chunk.choices?.find(({ index }) => !index);

/** What one frame adds to the answer, its finish reason apart; in the order text, calls, usage. */
export function chunkDeltas(chunk: CompletionChunk): RawDelta[] {
  const choice = firstChoice(chunk);
  const delta = choice?.delta ?? choice?.message;
  const usage = usageOf(chunk);
  return [...(delta ? answerDeltas(delta) : []), ...(usage ? [{ type: 'usage', usage } as const] : [])];
}

function answerDeltas(delta: CompletionDelta): RawDelta[] {
  const { text, thinking } = contentOf(delta);
  const deltas: RawDelta[] = [];
  if (thinking) deltas.push({ type: 'reasoning', text: thinking });
  if (text) deltas.push({ type: 'text', text });
  for (const call of delta.tool_calls ?? []) deltas.push(callDelta(call));
  if (delta.function_call) deltas.push(callDelta({ index: 0, function: delta.function_call }));
  return deltas;
}

function contentOf(delta: CompletionDelta): { text: string; thinking: string } {
  // Some servers send the same words in two of these fields while they rename one: the first one counts.
  const thinking = delta.reasoning_content || delta.reasoning || delta.thinking || '';
  const { content } = delta;
  if (!Array.isArray(content)) return { text: `${content ?? ''}${delta.refusal ?? ''}`, thinking };
  return {
    text: content.map((part) => part.text ?? '').join(''),
    thinking: thinking + content.map((part) => thoughtText(part.thinking)).join(''),
  };
}

/** Mistral wraps thoughts in a list of text parts inside a part of their own. */
function thoughtText(thought: unknown): string {
  if (typeof thought === 'string') return thought;
  if (Array.isArray(thought)) return thought.map(thoughtText).join('');
  if (typeof thought !== 'object' || thought === null || !('text' in thought)) return '';
  return typeof thought.text === 'string' ? thought.text : '';
}

function callDelta(call: CompletionToolCall): RawDelta {
  const delta: { -readonly [K in keyof CallDelta]: CallDelta[K] } = { type: 'call' };
  if (typeof call.index === 'number') delta.index = call.index;
  if (call.id) delta.id = call.id;
  if (call.function?.name) delta.name = call.function.name;
  const text = argumentText(call.function?.arguments);
  if (text !== undefined) delta.arguments = text;
  return delta;
}

function argumentText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function usageOf(chunk: CompletionChunk): Usage | undefined {
  const usage = chunk.usage ?? chunk.x_groq?.usage;
  return usage ? { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens } : undefined;
}
