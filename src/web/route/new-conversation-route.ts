import type { PageRoute } from './address.ts';
import { createPageId } from './page-id.ts';

/** Returns the route of a conversation that nobody has spoken in. */
export const newConversationRoute = (projectId: string): PageRoute => ({
  projectId,
  conversationId: createPageId('chat'),
});
