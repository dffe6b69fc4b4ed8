import { CHARACTERS_PER_TOKEN, type ModelMessage } from '../../contracts/model/model-message.ts';
import type { ToolDefinition } from '../../contracts/tools/tool-call.ts';

/**
 * Estimated number of bytes that a message, or a call in it, takes in addition to its texts: role, ids, punctuation.
 */
const FRAME_BYTES = 16;

/**
 * Estimates the tokens that a message takes in a prompt. It counts bytes of UTF-8 instead of characters, because a
 * character takes more tokens in some languages than in others.
 */
export const messageTokens = (message: ModelMessage): number => {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  const callBytes = calls.reduce(
    (sum, { function: called }) => sum + FRAME_BYTES + bytesOf(called.name) + bytesOf(called.arguments),
    0,
  );
  return Math.ceil((FRAME_BYTES + bytesOf(message.content) + callBytes) / CHARACTERS_PER_TOKEN);
};

/** Estimates the tokens that messages, and the definitions of the tools offered with them, take in a prompt. */
export const promptTokens = (
  messages: readonly ModelMessage[],
  tools: readonly ToolDefinition[] = [],
): number => {
  const definitionBytes = tools.length === 0 ? 0 : bytesOf(JSON.stringify(tools));
  return messages.reduce(
    (sum, message) => sum + messageTokens(message),
    Math.ceil(definitionBytes / CHARACTERS_PER_TOKEN),
  );
};

const bytesOf = (text: string): number => Buffer.byteLength(text);
