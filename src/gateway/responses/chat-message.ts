import type { ChatMessage } from '../../contracts/http/message-api.ts';
import type { StoredMessage } from '../../db/conversations/message-repository.ts';

/** Returns a stored message as clients see it. */
export const toChatMessage = ({ createdAt, ...message }: StoredMessage): ChatMessage => ({
  ...message,
  createdAt: createdAt.toISOString(),
});
