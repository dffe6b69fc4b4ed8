/** The page's requests to its gateway about conversations (docs/http-api.md). */
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
import { ask, insist, type Outcome, query } from './gateway-request.ts';

/** Messages of a conversation, newest first. */
export const listMessages = (fields: {
  readonly projectId: string;
  readonly conversationId: string;
  readonly limit: number;
  readonly offset: number;
}): Promise<Outcome<MessageList>> => ask(messageListSchema, 'GET', `/api/chat/messages?${query(fields)}`);

/**
 * Conversations of a project, those spoken in last first. `search`: only those whose title it stands in. Nothing is
 * shown of a list that could not be read, so that it is asked for again.
 */
export const listConversations = (fields: {
  readonly projectId: string;
  readonly limit: number;
  readonly offset?: number;
  readonly search?: string;
}): Promise<Outcome<ConversationList>> =>
  insist(() => ask(conversationListSchema, 'GET', `/api/conversations?${query(fields)}`));

/** Turns of a conversation, newest first. */
export const listTurns = (fields: {
  readonly projectId: string;
  readonly conversationId: string;
  readonly limit: number;
}): Promise<Outcome<TurnList>> => ask(turnListSchema, 'GET', `/api/turns?${query(fields)}`);

/** Reads the counts of a project's turns, by day. */
export const projectDays = (fields: {
  readonly projectId: string;
  readonly days: number;
}): Promise<Outcome<DayList>> => ask(dayListSchema, 'GET', `/api/days?${query(fields)}`);

/** Names a conversation: its id belongs to its project. */
interface ConversationKey {
  readonly projectId: string;
  readonly conversationId: string;
}

const pathOf = ({ projectId, conversationId }: ConversationKey): string =>
  `/api/conversations/${encodeURIComponent(conversationId)}?${query({ projectId })}`;

/** Gives a conversation a title that stands until the next one. */
export const renameConversation = (key: ConversationKey, title: string): Promise<Outcome<unknown>> =>
  ask(renamedConversationSchema, 'PATCH', pathOf(key), { title });

/** Removes a conversation with all that was said in it. */
export const removeConversation = (key: ConversationKey): Promise<Outcome<undefined>> =>
  ask(z.undefined(), 'DELETE', pathOf(key));
