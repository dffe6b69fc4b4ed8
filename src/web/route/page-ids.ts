import type { PageRoute } from './address.ts';

const BYTES = 12;

/**
 * Creates a random id for a turn or a conversation, such as `chat-` and 24 hexadecimal digits. `crypto.randomUUID`
 * would exist only if the page came over TLS or loopback.
 */
export const createPageId = (prefix: string): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return `${prefix}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
};

/** Returns the route of a new conversation, with an id of its own. */
export const newConversationRoute = (projectId: string): PageRoute => ({
  projectId,
  conversationId: createPageId('chat'),
});
