import type { PageRoute } from './address.ts';
import { createPageId } from './page-id.ts';

/** Returns the route of a new conversation, with an id of its own. */
export const newConversationRoute = (projectId: string): PageRoute => ({
  projectId,
  conversationId: createPageId('chat'),
});
