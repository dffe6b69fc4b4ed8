/* The page's requests to its gateway about conversations (docs/http-api.md). */
import { z } from 'zod';
import {
  type ConversationList,
  conversationListSchema,
  renamedConversationSchema,
  type TurnList,
  turnListSchema,
} from '../../contracts/http/conversation-api.ts';
import { type DayList, dayListSchema } from '../../contracts/http/day-api.ts';
import { type MessageList, messageListSchema } from '../../contracts/http/message-api.ts';
import { sendRequest, retryWhileUnavailable, type GatewayResult } from './gateway-request.ts';
import { queryStringOf } from '../../contracts/http/query-string.ts';
import type { ConversationKey } from '../../contracts/values/ids.ts';

/** Lists messages of a conversation, newest first. */
export const listMessages = (fields: {
  readonly projectId: string;
  readonly conversationId: string;
  readonly limit: number;
  readonly offset: number;
}): Promise<GatewayResult<MessageList>> =>
  sendRequest(messageListSchema, 'GET', `/api/chat/messages${queryStringOf(fields)}`);

/**
 * Lists conversations of a project, those with the newest messages first. With `search`, only those whose title
 * contains it. Repeats the request as `retryWhileUnavailable` does.
 */
export const listConversations = (fields: {
  readonly projectId: string;
  readonly limit: number;
  readonly offset?: number;
  readonly search?: string;
}): Promise<GatewayResult<ConversationList>> =>
  retryWhileUnavailable(() =>
    sendRequest(conversationListSchema, 'GET', `/api/conversations${queryStringOf(fields)}`),
  );

/** Lists turns of a conversation, newest first. */
export const listTurns = (fields: {
  readonly projectId: string;
  readonly conversationId: string;
  readonly limit: number;
}): Promise<GatewayResult<TurnList>> =>
  sendRequest(turnListSchema, 'GET', `/api/turns${queryStringOf(fields)}`);

/** Reads the figures of the turns of a project for each of the last `days` days, without days that have no turn. */
export const listProjectDays = (fields: {
  readonly projectId: string;
  readonly days: number;
}): Promise<GatewayResult<DayList>> => sendRequest(dayListSchema, 'GET', `/api/days${queryStringOf(fields)}`);

/** Gives a conversation a title, which replaces the one before. */
export const renameConversation = (key: ConversationKey, title: string): Promise<GatewayResult<unknown>> =>
  sendRequest(renamedConversationSchema, 'PATCH', conversationPath(key), { title });

const conversationPath = ({ projectId, conversationId }: ConversationKey): string =>
  `/api/conversations/${encodeURIComponent(conversationId)}${queryStringOf({ projectId })}`;

/** Removes a conversation with everything that was said in it. */
export const removeConversation = (key: ConversationKey): Promise<GatewayResult<undefined>> =>
  sendRequest(z.undefined(), 'DELETE', conversationPath(key));
