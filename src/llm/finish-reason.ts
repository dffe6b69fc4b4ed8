/** Why a provider ended an answer, in OpenAI's four words. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

const dialects: Readonly<Record<string, FinishReason>> = {
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

/** Reasons that say the provider gave up: the answer is not whole. */
const failures: ReadonlySet<string> = new Set(['error', 'abort', 'insufficient_system_resource']);

/**
 * A `finish_reason` from the wire: one of OpenAI's words, `failed` for a provider that gave up, undefined for
 * none (some send `""` or `"null"` on every frame). Unknown words such as `eos` and `end_turn` count as `stop`.
 */
export function finishReason(wire: string | null | undefined): FinishReason | 'failed' | undefined {
  const word = wire?.trim().toLowerCase();
  if (!word || word === 'null') return undefined;
  if (failures.has(word)) return 'failed';
  return Object.hasOwn(dialects, word) ? dialects[word] : 'stop';
}
