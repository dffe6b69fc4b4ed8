/* The page's requests to its gateway about turns, inputs and the gateway itself (docs/http-api.md). */
import { z } from 'zod';
import { type InfoAnswer, infoAnswerSchema } from '../../contracts/http/info-api.ts';
import {
  type InputAnswer,
  inputAnswerSchema,
  type InputList,
  inputListSchema,
} from '../../contracts/http/input-api.ts';
import { type SentPromptAnswer, sentPromptAnswerSchema } from '../../contracts/http/prompt-api.ts';
import { type SignInAnswer, signInAnswerSchema } from '../../contracts/http/sign-in-api.ts';
import { type TraceEvent, type TraceList, traceListSchema } from '../../contracts/http/trace-api.ts';
import { type TurnMessageAnswer, turnMessageAnswerSchema } from '../../contracts/http/steer-api.ts';
import {
  type TurnAccepted,
  turnAcceptedSchema,
  type TurnCancelAnswer,
  turnCancelAnswerSchema,
  type TurnStatusAnswer,
  turnStatusAnswerSchema,
  type TurnUndoAnswer,
  turnUndoAnswerSchema,
} from '../../contracts/http/turn-api.ts';
import type { ReplyBody } from '../../contracts/inputs/reply.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import { ask, insist, type GatewayResult, query, SIGN_IN, tellSignedOut } from './gateway-request.ts';

/** A message that a person sends; `turnId` is drawn here, so that sending it twice starts one turn. */
export interface AskedTurn {
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  /** The turn after which it goes on; null: none, undefined: the newest turn of its conversation. */
  readonly parentTurnId?: string | null | undefined;
  readonly content: string;
  readonly mode: TurnMode;
  readonly protocol: ProtocolName;
  readonly model: string | undefined;
}

/** Tools that a turn of the page may run, enough for real work (docs/http-api.md "A first turn"). */
const PHASE_CYCLES = 25;

/** Reads whose cookie this browser has; `unauthorized` where it needs one and has none. */
export const whoAsks = (): Promise<GatewayResult<SignInAnswer>> => ask(signInAnswerSchema, 'GET', SIGN_IN);

/** Makes the gateway set a cookie that stands for this API key. */
export const signIn = (key: string): Promise<GatewayResult<SignInAnswer>> =>
  ask(signInAnswerSchema, 'POST', SIGN_IN, { key });

/** Makes the gateway remove the cookie. */
export const signOut = async (): Promise<void> => {
  await ask(z.undefined(), 'DELETE', SIGN_IN);
  tellSignedOut();
};

/** Starts a turn; a repeat attaches to it. */
export const startTurn = ({
  turnId,
  protocol,
  model,
  ...message
}: AskedTurn): Promise<GatewayResult<TurnAccepted>> =>
  insist(() =>
    ask(turnAcceptedSchema, 'POST', '/api/turns', {
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

/** Ends a running turn with what it has said so far. */
export const stopTurn = (turnId: string): Promise<GatewayResult<TurnCancelAnswer>> =>
  insist(() => ask(turnCancelAnswerSchema, 'POST', `/api/turns/${encodeURIComponent(turnId)}/cancel`, {}));

/** Takes back the changes of an ended turn in files; a repeat goes on where the first call was cut. */
export const takeBackTurn = (turnId: string): Promise<GatewayResult<TurnUndoAnswer>> =>
  ask(turnUndoAnswerSchema, 'POST', `/api/turns/${encodeURIComponent(turnId)}/undo`, {});

/** Reads the state of a turn, and the conversation that it belongs to. */
export const turnStatus = (turnId: string): Promise<GatewayResult<TurnStatusAnswer>> =>
  ask(turnStatusAnswerSchema, 'GET', `/api/turns/${encodeURIComponent(turnId)}`);

/** Reads the gateway's version, and the models that it offers. */
export const orionInfo = (): Promise<GatewayResult<InfoAnswer>> => ask(infoAnswerSchema, 'GET', '/api/info');

const inputPath = (inputId: string): string => {
  const at = inputId.lastIndexOf('/');
  return `/api/turns/${encodeURIComponent(inputId.slice(0, at))}/inputs/${inputId.slice(at + 1)}`;
};

/** Reads one input request with all of its arguments and its diff, of which events carry the beginning. */
export const wholeInput = (inputId: string): Promise<GatewayResult<InputAnswer>> =>
  ask(inputAnswerSchema, 'GET', inputPath(inputId));

/** Replies to an input request; the first reply counts, whoever sends it. */
export const replyToInput = (inputId: string, reply: ReplyBody): Promise<GatewayResult<InputAnswer>> =>
  insist(() => ask(inputAnswerSchema, 'POST', inputPath(inputId), reply));

const WAITING_SHOWN = 50;

/** Reads the requests that wait for somebody in all projects of this browser's key, oldest first. */
export const waitingInputs = (): Promise<GatewayResult<InputList>> =>
  ask(inputListSchema, 'GET', `/api/inputs?${query({ status: 'open', limit: WAITING_SHOWN })}`);

/** A message into a turn. Where the turn has ended meanwhile, the next one begins with the message. */
export interface PageSteer {
  readonly turnId: string;
  readonly messageId: string;
  readonly content: string;
  /** `now` ends what the model is saying. */
  readonly when: 'boundary' | 'now';
}

/** Speaks into a running turn; the same messageId again is the same message. */
export const speakInto = ({ turnId, ...message }: PageSteer): Promise<GatewayResult<TurnMessageAnswer>> =>
  insist(() =>
    ask(turnMessageAnswerSchema, 'POST', `/api/turns/${encodeURIComponent(turnId)}/messages`, {
      ...message,
      queue: true,
    }),
  );

const TRACE_PAGE = 200;
/** Largest number of events: a turn of 50 tools has some 300. */
const MAX_TRACE_EVENTS = 2_000;

/** Reads the trace of a turn, or one type of its events, oldest first; no more than anybody would read. */
export const turnTrace = async (
  projectId: string,
  turnId: string,
  type?: TraceEvent['type'],
): Promise<GatewayResult<readonly TraceEvent[]>> => {
  const events: TraceEvent[] = [];
  for (let offset: number | null = 0; offset !== null && events.length < MAX_TRACE_EVENTS;) {
    const place = { projectId, requestId: turnId, limit: TRACE_PAGE, offset };
    const search: string = query({ ...place, ...(type && { type }) });
    const page: GatewayResult<TraceList> = await ask(traceListSchema, 'GET', `/api/trace/logs?${search}`);
    if (!page.ok) return page;
    events.push(...page.value.events);
    offset = page.value.nextOffset;
  }
  return { ok: true, value: events };
};

/** A page of what a model call was sent; `characters`: how much of each message is shown. */
export interface SentPromptPage {
  readonly turnId: string;
  /** The number of the model call in its turn. */
  readonly step: number;
  readonly offset: number;
  readonly limit: number;
  readonly characters: number;
}

/** Reads a page of the messages that a model call was sent. */
export const sentPrompt = ({
  turnId,
  step,
  ...page
}: SentPromptPage): Promise<GatewayResult<SentPromptAnswer>> =>
  ask(
    sentPromptAnswerSchema,
    'GET',
    `/api/turns/${encodeURIComponent(turnId)}/prompts/${step}?${query({ ...page })}`,
  );
