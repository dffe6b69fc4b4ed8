/* The page's requests to its gateway about turns, inputs and the gateway itself (docs/http-api.md). */
import { z } from 'zod';
import { type InfoResponse, infoResponseSchema } from '../../contracts/http/info-api.ts';
import {
  type InputResponse,
  inputResponseSchema,
  type InputList,
  inputListSchema,
} from '../../contracts/http/input-api.ts';
import { type SentPromptResponse, sentPromptResponseSchema } from '../../contracts/http/prompt-api.ts';
import { type SignInResponse, signInResponseSchema } from '../../contracts/http/sign-in-api.ts';
import { type TraceEvent, type TraceList, traceListSchema } from '../../contracts/http/trace-api.ts';
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
import type { ReplyBody } from '../../contracts/inputs/reply.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import {
  sendRequest,
  retryWhileUnavailable,
  type GatewayResult,
  formatQuery,
  SIGN_IN_PATH,
  announceSignOut,
} from './gateway-request.ts';

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

/**
 * Number of tools that a turn of the page may run before it has to ask for more, enough for real work (docs/http-api.md
 * "A first turn").
 */
const PHASE_CYCLES = 25;

/**
 * Reads who is signed in by the cookie of this browser. Fails with `unauthorized` if the gateway requires a valid
 * cookie and there is none.
 */
export const readSignIn = (): Promise<GatewayResult<SignInResponse>> =>
  sendRequest(signInResponseSchema, 'GET', SIGN_IN_PATH);

/** Makes the gateway set a cookie that authenticates as this API key. */
export const signIn = (key: string): Promise<GatewayResult<SignInResponse>> =>
  sendRequest(signInResponseSchema, 'POST', SIGN_IN_PATH, { key });

/** Makes the gateway remove the cookie, and reports the sign-out to the page, even if the gateway did not answer. */
export const signOut = async (): Promise<void> => {
  await sendRequest(z.undefined(), 'DELETE', SIGN_IN_PATH);
  announceSignOut();
};

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
        maxPhaseCycles: PHASE_CYCLES,
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

// The id of an input request is `<turn id>/<number>`.
const inputPath = (inputId: string): string => {
  const index = inputId.lastIndexOf('/');
  return `/api/turns/${encodeURIComponent(inputId.slice(0, index))}/inputs/${inputId.slice(index + 1)}`;
};

/** Reads one input request with all of its arguments and its diff. Its event may have only the beginning of both. */
export const readInput = (inputId: string): Promise<GatewayResult<InputResponse>> =>
  sendRequest(inputResponseSchema, 'GET', inputPath(inputId));

/** Replies to an input request; the first reply counts, whoever sends it. */
export const replyToInput = (inputId: string, reply: ReplyBody): Promise<GatewayResult<InputResponse>> =>
  retryWhileUnavailable(() => sendRequest(inputResponseSchema, 'POST', inputPath(inputId), reply));

/** Largest number of waiting requests that the page lists. */
const MAX_WAITING = 50;

/** Reads the oldest requests that wait for somebody, in all projects of the key of this browser. */
export const listWaitingInputs = (): Promise<GatewayResult<InputList>> =>
  sendRequest(inputListSchema, 'GET', `/api/inputs?${formatQuery({ status: 'open', limit: MAX_WAITING })}`);

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

const TRACE_PAGE = 200;
/** Number of events after which the reading of a trace stops. A turn of 50 tools has some 300. */
const MAX_TRACE_EVENTS = 2_000;

/** Reads the trace of a turn, or only events of one type, oldest first. Reads at most `MAX_TRACE_EVENTS`. */
export const readTurnTrace = async (
  projectId: string,
  turnId: string,
  type?: TraceEvent['type'],
): Promise<GatewayResult<readonly TraceEvent[]>> => {
  const events: TraceEvent[] = [];
  for (let offset: number | null = 0; offset !== null && events.length < MAX_TRACE_EVENTS;) {
    const query = { projectId, requestId: turnId, limit: TRACE_PAGE, offset };
    const search: string = formatQuery({ ...query, ...(type && { type }) });
    const page: GatewayResult<TraceList> = await sendRequest(
      traceListSchema,
      'GET',
      `/api/trace/logs?${search}`,
    );
    if (!page.ok) return page;
    events.push(...page.value.events);
    offset = page.value.nextOffset;
  }
  return { ok: true, value: events };
};

/**
 * A page of the prompt of a model call. `offset` and `limit` count messages; `characters` is the largest number of
 * characters that is shown of each message.
 */
export interface SentPromptPage {
  readonly turnId: string;
  /** The number of the model call in its turn, from 1. */
  readonly step: number;
  readonly offset: number;
  readonly limit: number;
  readonly characters: number;
}

/** Reads a page of the messages that a model call was sent. */
export const readSentPrompt = ({
  turnId,
  step,
  ...page
}: SentPromptPage): Promise<GatewayResult<SentPromptResponse>> =>
  sendRequest(
    sentPromptResponseSchema,
    'GET',
    `/api/turns/${encodeURIComponent(turnId)}/prompts/${step}?${formatQuery({ ...page })}`,
  );
