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
import { ask, insist, type GatewayResult, query } from './gateway-request.ts';
import type { ConversationKey } from '../../contracts/values/ids.ts';

/** Messages of a conversation, newest first. */
export const listMessages = (fields: {
  readonly projectId: string;
  readonly conversationId: string;
  readonly limit: number;
  readonly offset: number;
}): Promise<GatewayResult<MessageList>> =>
  ask(messageListSchema, 'GET', `/api/chat/messages?${query(fields)}`);

/**
 * Lists conversations of a project, those with the newest messages first. `search`: only those whose title contains it.
 * A list that could not be read shows nothing, so the request is repeated.
 */
export const listConversations = (fields: {
  readonly projectId: string;
  readonly limit: number;
  readonly offset?: number;
  readonly search?: string;
}): Promise<GatewayResult<ConversationList>> =>
  insist(() => ask(conversationListSchema, 'GET', `/api/conversations?${query(fields)}`));

/** Turns of a conversation, newest first. */
export const listTurns = (fields: {
  readonly projectId: string;
  readonly conversationId: string;
  readonly limit: number;
}): Promise<GatewayResult<TurnList>> => ask(turnListSchema, 'GET', `/api/turns?${query(fields)}`);

/** Reads figures of a project's turns, by day. */
export const projectDays = (fields: {
  readonly projectId: string;
  readonly days: number;
}): Promise<GatewayResult<DayList>> => ask(dayListSchema, 'GET', `/api/days?${query(fields)}`);

const pathOf = ({ projectId, conversationId }: ConversationKey): string =>
  `/api/conversations/${encodeURIComponent(conversationId)}?${query({ projectId })}`;

/** Gives a conversation a title that stands until the next one. */
export const renameConversation = (key: ConversationKey, title: string): Promise<GatewayResult<unknown>> =>
  ask(renamedConversationSchema, 'PATCH', pathOf(key), { title });

/** Removes a conversation with all that was said in it. */
export const removeConversation = (key: ConversationKey): Promise<GatewayResult<undefined>> =>
  ask(z.undefined(), 'DELETE', pathOf(key));
