import type { ChatMessage } from '../../contracts/http/messages.ts';
import type { StoredMessage } from './message-store.ts';

/** A stored message as clients see it. */
export const toChatMessage = ({ createdAt, ...message }: StoredMessage): ChatMessage => ({
  ...message,
  createdAt: createdAt.toISOString(),
});
