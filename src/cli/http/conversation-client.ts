import { conversationListSchema, type ConversationList } from '../../contracts/http/conversation-api.ts';
import { messageListSchema, type MessageList } from '../../contracts/http/message-api.ts';
import { queryStringOf } from '../../contracts/http/query-string.ts';
import type { GatewayClient } from './gateway-client.ts';

/**
 * Number of messages on a page. One page contains a turn and the end of the turn before it, unless many messages were
 * sent into the turn.
 */
const BRANCH_PAGE_SIZE = 20;

/**
 * Creates the calls of the routes of conversations and their messages (docs/http-api.md). Each throws what
 * `GatewayClient` throws.
 */
export const createConversationClient = (gateway: GatewayClient) => ({
  /** Lists the conversations of a project, the most recently used one first. */
  list: (projectId: string, limit: number): Promise<ConversationList> =>
    gateway.requestJson(conversationListSchema, `/api/conversations${queryStringOf({ projectId, limit })}`),
  /** Removes a conversation with all that was said and done in it. */
  remove: async (projectId: string, conversationId: string): Promise<void> => {
    const path = `/api/conversations/${encodeURIComponent(conversationId)}${queryStringOf({ projectId })}`;
    await gateway.request(path, { method: 'DELETE' });
  },
  /** Lists messages of a project or, if `conversationId` is given, of that conversation, newest first. */
  listMessages: (projectId: string, limit: number, conversationId?: string): Promise<MessageList> =>
    gateway.requestJson(
      messageListSchema,
      `/api/chat/messages${queryStringOf({ projectId, conversationId, limit })}`,
    ),
  /**
   * Lists one page of the messages of the branch that ends with the turn `leaf`, newest first, without the newest
   * `offset` of them.
   */
  listBranchMessages: (projectId: string, leaf: string, offset: number): Promise<MessageList> =>
    gateway.requestJson(
      messageListSchema,
      `/api/chat/messages${queryStringOf({ projectId, leaf, limit: BRANCH_PAGE_SIZE, offset })}`,
    ),
});
/** The requests to the gateway about conversations and their messages. */
export type ConversationClient = ReturnType<typeof createConversationClient>;
