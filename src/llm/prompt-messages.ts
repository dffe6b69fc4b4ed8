import type { ModelMessage } from '../contracts/model/model-message.ts';

/** The rules about the order of messages in which providers differ. */
export interface MessageRules {
  /** True when the provider refuses a system message that is not the first message. */
  readonly allowsOnlyFirstSystem?: boolean;
}

/**
 * Returns the messages in an order that the provider accepts. Two messages of the user in a row become one, and so do
 * two of the assistant, unless the first has tool calls. If the provider refuses later system messages, these become
 * messages of the user, marked with `[Orion]`. Prompts that begin alike still do afterwards.
 */
export const providerMessages = (
  messages: readonly ModelMessage[],
  { allowsOnlyFirstSystem = false }: MessageRules,
): ModelMessage[] => {
  const ordered: ModelMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const next = allowsOnlyFirstSystem && index > 0 ? asUser(message) : message;
    const joined = joinWith(ordered.at(-1), next);
    if (joined) ordered.pop();
    ordered.push(joined ?? next);
  }
  return ordered;
};

const asUser = (message: ModelMessage): ModelMessage =>
  message.role === 'system' ? { role: 'user', content: `[Orion] ${message.content}` } : message;

/** Returns one message that replaces two. Returns undefined when both can stay. */
const joinWith = (last: ModelMessage | undefined, next: ModelMessage): ModelMessage | undefined => {
  if (last?.role === 'user' && next.role === 'user') return { ...next, content: joinTexts(last, next) };
  if (last?.role !== 'assistant' || next.role !== 'assistant' || last.tool_calls) return undefined;
  return { ...next, content: joinTexts(last, next) };
};

const joinTexts = (one: ModelMessage, other: ModelMessage): string =>
  [one.content, other.content].filter((text) => text !== '').join('\n\n');
