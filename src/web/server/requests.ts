/** What the page asks its gateway (docs/http-api.md). Failures are data: each is shown where it happened. */
import type { ConversationList } from '../../contracts/http/conversation-api.ts';
import type { ApiErrorBody, ApiErrorCode } from '../../contracts/http/errors.ts';
import type { InfoAnswer } from '../../contracts/http/info-api.ts';
import type { InputAnswer, InputList } from '../../contracts/http/input-api.ts';
import type { MessageList } from '../../contracts/http/message-api.ts';
import type { SignInAnswer } from '../../contracts/http/sign-in-api.ts';
import type { TraceEvent, TraceList } from '../../contracts/http/trace-api.ts';
import type { TurnMessageAnswer } from '../../contracts/http/steer-api.ts';
import type { TurnAccepted, TurnCancelAnswer, TurnStatusAnswer } from '../../contracts/http/turn-api.ts';
import type { ReplyBody } from '../../contracts/inputs.ts';
import type { ProtocolName } from '../../contracts/turn-facts.ts';
import type { TurnMode } from '../../contracts/tool-call.ts';

/** Why the gateway did not do what was asked; `unreachable`: it gave no answer that could be read. */
export interface Failure {
  readonly code: ApiErrorCode | 'unreachable';
  readonly message: string;
  readonly details?: unknown;
  /** When it may be asked again, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** An answer of the gateway, or why there is none. */
export type Outcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** Why a request was refused, as its answer says it. */
export const failureOf = async (response: Response): Promise<Failure> => {
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const retry = Number.isFinite(seconds) ? { retryAfterMs: seconds * 1_000 } : {};
  try {
    const { error, code, details } = (await response.json()) as ApiErrorBody;
    return { code, message: error, details, ...retry };
  } catch {
    return { code: 'unreachable', message: `The gateway answered ${response.status}.`, ...retry };
  }
};

const UNREACHABLE: Failure = { code: 'unreachable', message: 'The gateway does not answer.' };

const signedOut = new EventTarget();

/** Calls `run` whenever the gateway takes this browser's cookie no longer. Returns how to end that. */
export const onSignedOut = (run: () => void): (() => void) => {
  signedOut.addEventListener('out', run);
  return () => signedOut.removeEventListener('out', run);
};

const ask = async <T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<Outcome<T>> => {
  try {
    const response = await fetch(path, {
      method,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (response.status === 401 && path !== SIGN_IN) signedOut.dispatchEvent(new Event('out'));
    if (!response.ok) return { ok: false, failure: await failureOf(response) };
    const value: unknown = response.status === 204 ? undefined : await response.json();
    return { ok: true, value: value as T };
  } catch {
    return { ok: false, failure: UNREACHABLE };
  }
};

const query = (fields: Readonly<Record<string, string | number>>): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) search.set(name, String(value));
  return search.toString();
};

/** A message that a person sends; `turnId` is drawn here, so that sending it twice starts one turn. */
export interface AskedTurn {
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly content: string;
  readonly mode: TurnMode;
  readonly protocol: ProtocolName;
  readonly model: string | undefined;
}

/** Tools that a turn of the page may run: it works, as agents do (docs/http-api.md "A first turn"). */
const PHASE_CYCLES = 25;

const SIGN_IN = '/api/sign-in';

/** Whose cookie this browser has; `unauthorized` where it needs one and has none. */
export const whoAsks = (): Promise<Outcome<SignInAnswer>> => ask('GET', SIGN_IN);

/** Has the gateway set a cookie that stands for this API key. */
export const signIn = (key: string): Promise<Outcome<SignInAnswer>> => ask('POST', SIGN_IN, { key });

/** Has the gateway take the cookie back. */
export const signOut = async (): Promise<void> => {
  await ask('DELETE', SIGN_IN);
  signedOut.dispatchEvent(new Event('out'));
};

/** Starts a turn; the same again attaches to it. */
export const startTurn = ({
  turnId,
  protocol,
  model,
  ...message
}: AskedTurn): Promise<Outcome<TurnAccepted>> =>
  ask('POST', '/api/turns', {
    ...message,
    requestId: turnId,
    metadata: {
      maxPhaseCycles: PHASE_CYCLES,
      inputs: ['question', 'limit'],
      protocol,
      ...(model && { model }),
    },
  });

/** Ends a running turn with what it has said so far. */
export const stopTurn = (turnId: string): Promise<Outcome<TurnCancelAnswer>> =>
  ask('POST', `/api/turns/${encodeURIComponent(turnId)}/cancel`, {});

/** Where a turn stands, and which conversation it belongs to. */
export const turnStatus = (turnId: string): Promise<Outcome<TurnStatusAnswer>> =>
  ask('GET', `/api/turns/${encodeURIComponent(turnId)}`);

/** Messages of a conversation, newest first. */
export const listMessages = (fields: {
  readonly projectId: string;
  readonly conversationId: string;
  readonly limit: number;
  readonly offset: number;
}): Promise<Outcome<MessageList>> => ask('GET', `/api/chat/messages?${query(fields)}`);

/** Conversations of a project, those spoken in last first. */
export const listConversations = (projectId: string, limit: number): Promise<Outcome<ConversationList>> =>
  ask('GET', `/api/conversations?${query({ projectId, limit })}`);

/** Which Orion this is, and the models that it offers. */
export const orionInfo = (): Promise<Outcome<InfoAnswer>> => ask('GET', '/api/info');

const inputPath = (inputId: string): string => {
  const at = inputId.lastIndexOf('/');
  return `/api/turns/${encodeURIComponent(inputId.slice(0, at))}/inputs/${inputId.slice(at + 1)}`;
};

/** One input request with all of its arguments and its diff, of which events carry the beginning. */
export const wholeInput = (inputId: string): Promise<Outcome<InputAnswer>> => ask('GET', inputPath(inputId));

/** Replies to an input request; the first reply of whoever counts. */
export const replyToInput = (inputId: string, reply: ReplyBody): Promise<Outcome<InputAnswer>> =>
  ask('POST', inputPath(inputId), reply);

const WAITING_SHOWN = 50;

/** What waits for somebody in all projects of this browser's key, oldest first. */
export const waitingInputs = (): Promise<Outcome<InputList>> =>
  ask('GET', `/api/inputs?${query({ status: 'open', limit: WAITING_SHOWN })}`);

/** A message into a turn. Where that has ended meanwhile, the next one begins with it. */
export interface PageSteer {
  readonly turnId: string;
  readonly messageId: string;
  readonly content: string;
  /** `now` ends what the model is saying. */
  readonly when: 'boundary' | 'now';
}

/** Speaks into a running turn; the same messageId again is the same message. */
export const speakInto = ({ turnId, ...message }: PageSteer): Promise<Outcome<TurnMessageAnswer>> =>
  ask('POST', `/api/turns/${encodeURIComponent(turnId)}/messages`, { ...message, queue: true });

const TRACE_PAGE = 200;
/** A turn of 50 tools has some 300 events. */
const MAX_TRACE_EVENTS = 2_000;

/** What the trace has of a turn, oldest first; no more than somebody would read. */
export const turnTrace = async (
  projectId: string,
  turnId: string,
): Promise<Outcome<readonly TraceEvent[]>> => {
  const events: TraceEvent[] = [];
  for (let offset: number | null = 0; offset !== null && events.length < MAX_TRACE_EVENTS;) {
    const search: string = query({ projectId, requestId: turnId, limit: TRACE_PAGE, offset });
    const page: Outcome<TraceList> = await ask('GET', `/api/trace/logs?${search}`);
    if (!page.ok) return page;
    events.push(...page.value.events);
    offset = page.value.nextOffset;
  }
  return { ok: true, value: events };
};
