import type { CliContext } from '../command-context/cli-context.ts';
import { withRetries } from '../http/retry.ts';

/** Number of characters of a message that are shown. */
const MAX_CHARACTERS = 2_000;

/**
 * Returns the last two messages of a conversation, usually the user's and its answer, for a person who continues it.
 * Empty ones are left out, and of long ones the end is kept. Throws as `GatewayClient` does.
 */
export const readLastExchange = async (
  { conversations, retry, config }: CliContext,
  conversationId: string,
): Promise<readonly string[]> => {
  const { messages } = await withRetries(retry, () =>
    conversations.listMessages(config.projectId, 2, conversationId),
  );
  return messages
    .toReversed()
    .filter(({ content }) => content.trim() !== '')
    .map(({ sender, content }) => `${sender === 'user' ? '> ' : ''}${truncateStart(content.trim())}`);
};

const truncateStart = (text: string): string =>
  text.length > MAX_CHARACTERS ? `… ${text.slice(-MAX_CHARACTERS).toWellFormed()}` : text;
