/* The page's requests to its gateway about turns and the gateway itself (docs/http-api.md). */
import { type InfoResponse, infoResponseSchema } from '../../contracts/http/info-api.ts';
import { type TurnMessageResponse, turnMessageResponseSchema } from '../../contracts/http/steer-api.ts';
import {
  type TurnAccepted,
  turnAcceptedSchema,
  type TurnCancelResponse,
  turnCancelResponseSchema,
  type TurnStatusResponse,
  turnStatusResponseSchema,
  type TurnUndoResponse,
  turnUndoResponseSchema,
} from '../../contracts/http/turn-api.ts';
import { PHASE_CYCLES_FOR_WORK } from '../../contracts/turn/budgets.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import { sendRequest, retryWhileUnavailable, type GatewayResult } from './gateway-request.ts';

/** A message that a person sends. The page creates `turnId`, so that a message that is sent twice starts one turn. */
export interface NewTurnMessage {
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  /** The parent of the new turn. Null means none, and undefined means the newest turn of its conversation. */
  readonly parentTurnId?: string | null | undefined;
  readonly content: string;
  readonly mode: TurnMode;
  readonly protocol: ProtocolName;
  /** Undefined means the gateway's default model. */
  readonly model: string | undefined;
}

/** Starts a turn. A repeat with the same `turnId` returns the turn that is already there. */
export const startTurn = ({
  turnId,
  protocol,
  model,
  ...message
}: NewTurnMessage): Promise<GatewayResult<TurnAccepted>> =>
  retryWhileUnavailable(() =>
    sendRequest(turnAcceptedSchema, 'POST', '/api/turns', {
      ...message,
      requestId: turnId,
      metadata: {
        maxPhaseCycles: PHASE_CYCLES_FOR_WORK,
        inputs: ['question', 'limit'],
        protocol,
        ...(model && { model }),
      },
    }),
  );

/** Cancels a running turn, which keeps its answer so far. */
export const cancelTurn = (turnId: string): Promise<GatewayResult<TurnCancelResponse>> =>
  retryWhileUnavailable(() =>
    sendRequest(turnCancelResponseSchema, 'POST', `/api/turns/${encodeURIComponent(turnId)}/cancel`, {}),
  );

/** Undoes the changes that an ended turn has made to files. A repeat continues where an earlier call was cut off. */
export const requestTurnUndo = (turnId: string): Promise<GatewayResult<TurnUndoResponse>> =>
  sendRequest(turnUndoResponseSchema, 'POST', `/api/turns/${encodeURIComponent(turnId)}/undo`, {});

/** Reads the state of a turn, and the conversation that it belongs to. */
export const readTurnStatus = (turnId: string): Promise<GatewayResult<TurnStatusResponse>> =>
  sendRequest(turnStatusResponseSchema, 'GET', `/api/turns/${encodeURIComponent(turnId)}`);

/** Reads the version of the gateway and the models that it offers. */
export const readOrionInfo = (): Promise<GatewayResult<InfoResponse>> =>
  sendRequest(infoResponseSchema, 'GET', '/api/info');

/** A message into a turn. If the turn has ended meanwhile, the message begins the next turn of the conversation. */
export interface SteerMessage {
  readonly turnId: string;
  readonly messageId: string;
  readonly content: string;
  /** `now` interrupts the running model call; `boundary` waits for the next step. */
  readonly when: 'boundary' | 'now';
}

/** Sends a message into a running turn. A repeat with the same `messageId` counts as the same message. */
export const sendSteer = ({
  turnId,
  ...message
}: SteerMessage): Promise<GatewayResult<TurnMessageResponse>> =>
  retryWhileUnavailable(() =>
    sendRequest(turnMessageResponseSchema, 'POST', `/api/turns/${encodeURIComponent(turnId)}/messages`, {
      ...message,
      queue: true,
    }),
  );
