import type { z } from 'zod';
import type { ApprovalSetting } from '../../contracts/inputs/approvals.ts';
import type { AcceptedInput } from '../../contracts/wire/input-events.ts';
import { costListSchema, type CostList } from '../../contracts/http/cost-api.ts';
import {
  conversationListSchema,
  turnListSchema,
  type ConversationList,
  type TurnList,
} from '../../contracts/http/conversation-api.ts';
import {
  turnMessageResponseSchema,
  type TurnMessageResponse,
  type turnMessageBodySchema,
} from '../../contracts/http/steer-api.ts';
import { messageListSchema, type MessageList } from '../../contracts/http/message-api.ts';
import { type TraceList, traceListSchema } from '../../contracts/http/trace-api.ts';
import {
  turnAcceptedSchema,
  turnCancelResponseSchema,
  turnStatusResponseSchema,
  turnUndoResponseSchema,
  type TurnAccepted,
  type TurnCancelResponse,
  type TurnStatusResponse,
  type TurnUndoResponse,
} from '../../contracts/http/turn-api.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import { postJson, queryStringOf, type GatewayClient } from './gateway-client.ts';

/** The command's request for a new turn. */
export interface TurnRequest {
  readonly projectId: string;
  readonly conversationId: string;
  readonly content: string;
  readonly mode: TurnMode;
  readonly requestId: string;
  /** The parent of the turn. Null means none, and absent means the newest turn of the conversation. */
  readonly parentTurnId?: string | null;
  readonly metadata: {
    readonly maxPhaseCycles: number;
    /** The command finalizes write sessions itself (docs/write-sessions.md "In a turn"). */
    readonly writeSession: 'client';
    readonly protocol?: ProtocolName;
    readonly model?: string;
    readonly approvals?: ApprovalSetting;
    /** The kinds of input requests, besides approvals, that this client can show. The turn makes no others. */
    readonly inputs?: readonly AcceptedInput[];
  };
}

/**
 * Number of messages on a page. One page contains a turn and the end of the turn before it, unless many messages were
 * sent into the turn.
 */
const BRANCH_PAGE = 20;

const pathOf = (turnId: string): string => `/api/turns/${encodeURIComponent(turnId)}`;

/**
 * Creates the calls of the routes of turns, conversations, messages and costs (docs/http-api.md). Each throws what
 * `GatewayClient` throws.
 */
export const createTurnClient = (gateway: GatewayClient) => ({
  start: (request: TurnRequest): Promise<TurnAccepted> =>
    gateway.json(turnAcceptedSchema, '/api/turns', postJson(request)),
  status: (turnId: string): Promise<TurnStatusResponse> =>
    gateway.json(turnStatusResponseSchema, pathOf(turnId)),
  cancel: (turnId: string): Promise<TurnCancelResponse> =>
    gateway.json(turnCancelResponseSchema, `${pathOf(turnId)}/cancel`, { method: 'POST' }),
  undo: (turnId: string): Promise<TurnUndoResponse> =>
    gateway.json(turnUndoResponseSchema, `${pathOf(turnId)}/undo`, { method: 'POST' }),
  /**
   * Sends a message into a running turn. If the turn has ended and `queue` is true, the message begins the next turn. A
   * repeat with the same id gets the same answer.
   */
  steer: (turnId: string, message: z.input<typeof turnMessageBodySchema>): Promise<TurnMessageResponse> =>
    gateway.json(turnMessageResponseSchema, `${pathOf(turnId)}/messages`, postJson(message)),
  /** Opens the stream of the events after `lastEventId`, or of all events. The status is 204 if no more will come. */
  openEvents: (turnId: string, lastEventId: string | undefined, signal: AbortSignal): Promise<Response> => {
    const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
    return gateway.request(`${pathOf(turnId)}/events`, { headers, signal });
  },
  /** Lists messages of a project or, if `conversationId` is given, of that conversation, newest first. */
  listMessages: (projectId: string, limit: number, conversationId?: string): Promise<MessageList> =>
    gateway.json(
      messageListSchema,
      `/api/chat/messages${queryStringOf({ project_id: projectId, conversation_id: conversationId, limit })}`,
    ),
  /**
   * Lists one page of the messages of the branch that ends with the turn `leaf`, newest first, after the first
   * `offset`.
   */
  listBranchMessages: (projectId: string, leaf: string, offset: number): Promise<MessageList> =>
    gateway.json(
      messageListSchema,
      `/api/chat/messages${queryStringOf({ projectId, leaf, limit: BRANCH_PAGE, offset })}`,
    ),
  /** Lists turns of a project or of a conversation, newest first. */
  listTurns: (projectId: string, limit: number, conversationId?: string): Promise<TurnList> =>
    gateway.json(turnListSchema, `/api/turns${queryStringOf({ projectId, conversationId, limit })}`),
  /** Lists the costs of the last `days` UTC days, newest first. */
  listCosts: (days: number): Promise<CostList> =>
    gateway.json(costListSchema, `/api/costs${queryStringOf({ days })}`),
  listConversations: (projectId: string, limit: number): Promise<ConversationList> =>
    gateway.json(conversationListSchema, `/api/conversations${queryStringOf({ projectId, limit })}`),
  /** Removes a conversation with all that was said and done in it. */
  removeConversation: async (projectId: string, conversationId: string): Promise<void> => {
    const path = `/api/conversations/${encodeURIComponent(conversationId)}${queryStringOf({ projectId })}`;
    await gateway.request(path, { method: 'DELETE' });
  },
});
/** The requests to the gateway about turns, their conversations and their costs. */
export type TurnClient = ReturnType<typeof createTurnClient>;

/** The traces to read: those of a turn, of one type or of all, and the page among them. */
export interface TraceSelection {
  readonly projectId: string;
  readonly turnId: string;
  readonly type?: string;
  readonly limit: number;
  /** Number of the newest events to skip. Absent means none. */
  readonly offset?: number;
}

/** Creates the call of `GET /api/trace/logs` (docs/storage.md "Traces"). It throws what `GatewayClient` throws. */
export const createTraceClient = (gateway: GatewayClient) => ({
  list: ({ projectId, turnId: requestId, type, limit, offset }: TraceSelection): Promise<TraceList> =>
    gateway.json(
      traceListSchema,
      `/api/trace/logs${queryStringOf({ projectId, requestId, type, limit, offset })}`,
    ),
});
/** The requests to the gateway about traces, which say what a turn did. */
export type TraceClient = ReturnType<typeof createTraceClient>;
