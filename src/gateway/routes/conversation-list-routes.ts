import { Router } from 'express';
import { conversationQuerySchema, type ConversationList } from '../../contracts/http/conversation-api.ts';
import type { ConversationLists } from '../../db/conversations/conversation-lists.ts';
import { requireVisible } from '../access/access.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import { foldAliases, PROJECT_ALIASES } from '../requests/field-aliases.ts';
import { parseRequest } from '../requests/validation.ts';
import { withDatabaseDeadline } from '../requests/database-deadline.ts';
import { conversationTitleOf } from '../responses/conversation-title.ts';
import { sendLongJson } from '../responses/send-json.ts';

export interface ConversationListRouteDeps {
  readonly conversationLists: ConversationLists;
  readonly enterListQueue: EnterListQueue;
}

/** Creates the route `GET /api/conversations`: the conversations of a project. */
export const createConversationListRoutes = ({
  conversationLists,
  enterListQueue,
}: ConversationListRouteDeps): Router => {
  const router = Router();
  router.get('/conversations', async (req, res) => {
    const query = parseRequest(conversationQuerySchema, foldAliases(req.query, PROJECT_ALIASES), 'query');
    requireVisible(req, query.projectId);
    await enterListQueue(req, res);
    const { rows, hasMore } = await withDatabaseDeadline(conversationLists.listConversations(query));
    const list: ConversationList = {
      conversations: rows.map(({ title, beginning, startedAt, updatedAt, ...row }) => ({
        ...row,
        title: title ?? conversationTitleOf(beginning),
        startedAt: startedAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
      })),
      more: hasMore,
    };
    await sendLongJson(res, JSON.stringify(list));
  });
  return router;
};
