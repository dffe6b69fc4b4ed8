import {
  conversationListSchema,
  turnListSchema,
  type ConversationList,
  type TurnList,
} from '../../contracts/http/conversations.ts';
import { messageListSchema, type MessageList } from '../../contracts/http/messages.ts';
import { type TraceList, traceListSchema } from '../../contracts/http/traces.ts';
import {
  turnAcceptedSchema,
  turnCancelAnswerSchema,
  turnStatusAnswerSchema,
  type TurnAccepted,
  type TurnCancelAnswer,
  type TurnStatusAnswer,
} from '../../contracts/http/turns.ts';
import type { Mode } from '../../contracts/tool-call.ts';
import type { ProtocolName } from '../../contracts/turn.ts';
import { postJson, queryOf, type Gateway } from './gateway.ts';

/** What the command asks for when it starts a turn. */
export interface TurnRequest {
  readonly projectId: string;
  readonly conversationId: string;
  readonly content: string;
  readonly mode: Mode;
  readonly requestId: string;
  readonly metadata: {
    readonly maxPhaseCycles: number;
    /** The command finalizes write sessions itself (docs/write-sessions.md "In a turn"). */
    readonly writeSession: 'client';
    readonly protocol?: ProtocolName;
    readonly model?: string;
  };
}

const pathOf = (turnId: string): string => `/api/turns/${encodeURIComponent(turnId)}`;

/** The routes of turns (docs/http-api.md); throws what `Gateway` throws. */
export const createTurnCalls = (gateway: Gateway) => ({
  start: (request: TurnRequest): Promise<TurnAccepted> =>
    gateway.json(turnAcceptedSchema, '/api/turns', postJson(request)),
  status: (turnId: string): Promise<TurnStatusAnswer> => gateway.json(turnStatusAnswerSchema, pathOf(turnId)),
  cancel: (turnId: string): Promise<TurnCancelAnswer> =>
    gateway.json(turnCancelAnswerSchema, `${pathOf(turnId)}/cancel`, { method: 'POST' }),
  /** Native frames after `lastEventId`; status 204 when there will be none. */
  events: (turnId: string, lastEventId: string | undefined, signal: AbortSignal): Promise<Response> => {
    const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
    return gateway.request(`${pathOf(turnId)}/events`, { headers, signal });
  },
  /** Newest first. */
  messages: (projectId: string, limit: number, conversationId?: string): Promise<MessageList> =>
    gateway.json(
      messageListSchema,
      `/api/chat/messages${queryOf({ project_id: projectId, conversation_id: conversationId, limit })}`,
    ),
  /** Newest first. */
  list: (projectId: string, limit: number): Promise<TurnList> =>
    gateway.json(turnListSchema, `/api/turns${queryOf({ projectId, limit })}`),
  conversations: (projectId: string, limit: number): Promise<ConversationList> =>
    gateway.json(conversationListSchema, `/api/conversations${queryOf({ projectId, limit })}`),
});
export type TurnCalls = ReturnType<typeof createTurnCalls>;

export interface TraceSelection {
  readonly projectId: string;
  readonly requestId: string;
  readonly type?: string;
  readonly limit: number;
  /** Counted from the newest. */
  readonly offset?: number;
}

/** `GET /api/trace/logs` (docs/storage.md "Traces"); throws what `Gateway` throws. */
export const createTraceCalls = (gateway: Gateway) => ({
  list: ({ projectId, requestId, type, limit, offset }: TraceSelection): Promise<TraceList> =>
    gateway.json(traceListSchema, `/api/trace/logs${queryOf({ projectId, requestId, type, limit, offset })}`),
});
export type TraceCalls = ReturnType<typeof createTraceCalls>;
