import type { z } from 'zod';
import type { ApprovalSetting } from '../../contracts/inputs/approvals.ts';
import type { AcceptedInputKind } from '../../contracts/wire/input-events.ts';
import { turnListSchema, type TurnList } from '../../contracts/http/conversation-api.ts';
import {
  turnMessageResponseSchema,
  type TurnMessageResponse,
  type turnMessageBodySchema,
} from '../../contracts/http/steer-api.ts';
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
import { queryStringOf } from '../../contracts/http/query-string.ts';
import { jsonPost, type GatewayClient } from './gateway-client.ts';

/** The command's request for a new turn. */
export interface TurnRequest {
  readonly projectId: string;
  readonly conversationId: string;
  readonly content: string;
  readonly mode: TurnMode;
  readonly requestId: string;
  /** The parent of the turn, as in `NewTurn`. */
  readonly parentTurnId?: string | null;
  readonly metadata: {
    readonly maxPhaseCycles: number;
    /** The command finalizes write sessions itself (docs/write-sessions.md "In a turn"). */
    readonly writeSession: 'client';
    readonly protocol?: ProtocolName;
    readonly model?: string;
    readonly approvals?: ApprovalSetting;
    /** The kinds of input requests, besides approvals, that this client can show. The turn makes no others. */
    readonly inputs?: readonly AcceptedInputKind[];
  };
}

/** Creates the calls of the routes of turns (docs/http-api.md). Each throws as `GatewayClient` does. */
export const createTurnClient = (gateway: GatewayClient) => ({
  start: (request: TurnRequest): Promise<TurnAccepted> =>
    gateway.requestJson(turnAcceptedSchema, '/api/turns', jsonPost(request)),
  readStatus: (turnId: string): Promise<TurnStatusResponse> =>
    gateway.requestJson(turnStatusResponseSchema, turnPath(turnId)),
  cancel: (turnId: string): Promise<TurnCancelResponse> =>
    gateway.requestJson(turnCancelResponseSchema, `${turnPath(turnId)}/cancel`, { method: 'POST' }),
  undo: (turnId: string): Promise<TurnUndoResponse> =>
    gateway.requestJson(turnUndoResponseSchema, `${turnPath(turnId)}/undo`, { method: 'POST' }),
  /**
   * Sends a message into a running turn. If the turn has ended and `queue` is true, the message begins the next turn. A
   * repeat with the same id gets the same response.
   */
  steer: (turnId: string, message: z.input<typeof turnMessageBodySchema>): Promise<TurnMessageResponse> =>
    gateway.requestJson(turnMessageResponseSchema, `${turnPath(turnId)}/messages`, jsonPost(message)),
  /** Opens the stream of the events after `lastEventId`, or of all events. The status is 204 if no more will come. */
  openEvents: (turnId: string, lastEventId: string | undefined, signal: AbortSignal): Promise<Response> => {
    const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
    return gateway.request(`${turnPath(turnId)}/events`, { headers, signal });
  },
  /** Lists turns of a project or of a conversation, newest first. */
  listTurns: (projectId: string, limit: number, conversationId?: string): Promise<TurnList> =>
    gateway.requestJson(turnListSchema, `/api/turns${queryStringOf({ projectId, conversationId, limit })}`),
});
/** The requests to the gateway about turns. */
export type TurnClient = ReturnType<typeof createTurnClient>;

const turnPath = (turnId: string): string => `/api/turns/${encodeURIComponent(turnId)}`;
