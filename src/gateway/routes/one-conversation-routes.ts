import { Router, type Request } from 'express';
import {
  type ConversationResponse,
  conversationPageSchema,
  conversationTitleSchema,
} from '../../contracts/http/conversation-api.ts';
import { idSchema, type ConversationKey } from '../../contracts/values/ids.ts';
import type {
  ConversationRepository,
  OpenedConversation,
} from '../../db/conversations/conversation-repository.ts';
import { requireVisible } from '../access/access.ts';
import { ApiError, conversationNotFoundError } from '../errors/api-error.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import { withDatabaseDeadline } from '../requests/database-deadline.ts';
import { foldAliases, PROJECT_ALIASES } from '../requests/field-aliases.ts';
import { parseRequest } from '../requests/validation.ts';
import { conversationTitleOf } from '../responses/conversation-title.ts';
import { sendLongJson } from '../responses/send-json.ts';

export interface OneConversationRouteDeps {
  readonly conversations: ConversationRepository;
  readonly enterListQueue: EnterListQueue;
}

/** Largest number of UTF-16 units that the list of turns shows of the message of each turn. */
const CONTENT_CHARACTERS = 200;

/** Creates the routes of one conversation: they list its turns with their parents, rename it and delete it. */
export const createOneConversationRoutes = (deps: OneConversationRouteDeps): Router => {
  const { conversations, enterListQueue } = deps;
  const router = Router();
  router.get('/conversations/:conversationId', async (req, res) => {
    const { key, page } = readConversationQuery(req);
    await enterListQueue(req, res);
    const conversation = await withDatabaseDeadline(conversations.open(key, page));
    if (!conversation) throw conversationNotFoundError(key);
    await sendLongJson(res, JSON.stringify(toConversationResponse(key, conversation)));
  });

  router.patch('/conversations/:conversationId', async (req, res) => {
    const { key } = readConversationQuery(req);
    const { title } = parseRequest(conversationTitleSchema, req.body, 'body');
    if (!(await withDatabaseDeadline(conversations.rename(key, title)))) throw conversationNotFoundError(key);
    res.json({ ...key, title });
  });

  router.delete('/conversations/:conversationId', async (req, res) => {
    const { key } = readConversationQuery(req);
    // A long conversation takes longer to remove than a short call may.
    const outcome = await conversations.remove(key);
    if (outcome.kind === 'unknown') throw conversationNotFoundError(key);
    if (outcome.kind === 'busy') {
      const { turnId } = outcome;
      throw new ApiError('turn_in_progress', 'A turn runs in this conversation: cancel it first.', {
        details: { turnId },
      });
    }
    req.log.info(key, 'conversation removed');
    res.status(204).end();
  });
  return router;
};

const toConversationResponse = (
  key: ConversationKey,
  { title, beginning, cost, turns, hasMore }: OpenedConversation,
): ConversationResponse => ({
  ...key,
  title: title ?? conversationTitleOf(beginning),
  cost,
  turns: turns.map(({ beginning: content, startedAt, endedAt, ...turn }) => ({
    ...turn,
    content: content.slice(0, CONTENT_CHARACTERS).toWellFormed(),
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  })),
  more: hasMore,
});

const readConversationQuery = (
  req: Request,
): { key: ConversationKey; page: { limit: number; offset: number } } => {
  const query = foldAliases(req.query, PROJECT_ALIASES);
  const { projectId, ...page } = parseRequest(conversationPageSchema, query, 'query');
  const conversationId = parseRequest(idSchema, req.params['conversationId'], 'conversationId');
  requireVisible(req, projectId);
  return { key: { projectId, conversationId }, page };
};
