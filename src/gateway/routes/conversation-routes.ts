import { Router } from 'express';
import {
  conversationQuerySchema,
  turnQuerySchema,
  type ConversationList,
  type TurnList,
} from '../../contracts/http/conversation-api.ts';
import type { ConversationLists } from '../../db/conversations/conversation-lists.ts';
import { requireVisible } from '../access/access.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import { foldAliases, projectAliases, queryAliases } from '../requests/field-aliases.ts';
import { parseRequest } from '../requests/validation.ts';
import { fromDatabase } from '../requests/database-read.ts';
import { sendLongJson } from './send-json.ts';

export interface ConversationRouteDeps {
  readonly conversationLists: ConversationLists;
  readonly enterListQueue: EnterListQueue;
}

/** `GET /api/conversations` and `GET /api/turns`: what there is in a project, for whoever looks for an id. */
export const createConversationRoutes = ({
  conversationLists,
  enterListQueue,
}: ConversationRouteDeps): Router => {
  const router = Router();
  router.get('/conversations', async (req, res) => {
    const query = parseRequest(conversationQuerySchema, foldAliases(req.query, projectAliases), 'query');
    requireVisible(req, query.projectId);
    await enterListQueue(req, res);
    const { rows, more } = await fromDatabase(conversationLists.conversations(query));
    const list: ConversationList = {
      conversations: rows.map(({ title, beginning, startedAt, updatedAt, ...row }) => ({
        ...row,
        title: title ?? conversationTitleOf(beginning),
        startedAt: startedAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
      })),
      more,
    };
    await sendLongJson(res, JSON.stringify(list));
  });

  router.get('/turns', async (req, res) => {
    const query = parseRequest(turnQuerySchema, foldAliases(req.query, queryAliases), 'query');
    requireVisible(req, query.projectId);
    await enterListQueue(req, res);
    const { rows, more } = await fromDatabase(conversationLists.turns(query));
    const list: TurnList = {
      turns: rows.map(({ beginning, startedAt, endedAt, ...row }) => ({
        ...row,
        title: conversationTitleOf(beginning),
        startedAt: startedAt.toISOString(),
        endedAt: endedAt?.toISOString() ?? null,
      })),
      more,
    };
    await sendLongJson(res, JSON.stringify(list));
  });
  return router;
};

const TITLE_CHARACTERS = 60;

/** First words of a text on one line; a word is cut only where the first one alone is too long. */
export const conversationTitleOf = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= TITLE_CHARACTERS) return line;
  const cut = line.slice(0, TITLE_CHARACTERS);
  const lastBlank = cut.lastIndexOf(' ');
  return `${(lastBlank > 0 ? cut.slice(0, lastBlank) : cut.slice(0, -1)).toWellFormed()}…`;
};
