import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { budgetsSchema } from '../../../src/contracts/turn/budgets.ts';
import type { InputView } from '../../../src/contracts/http/input-api.ts';
import type { ReplyBody } from '../../../src/contracts/inputs/reply.ts';
import type { InputRequested, ReplyName } from '../../../src/contracts/wire/input-events.ts';
import type { ToolOutput } from '../../../src/contracts/wire/tool-output.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { createNativeEncoder, type TurnEncoder } from '../../../src/gateway/streams/turn-encoders.ts';
import { parseEventId } from '../../../src/contracts/wire/event-id.ts';
import { mismatchOf } from '../../gateway/support/api-conformance.ts';

/** The epoch of the first attempt of a turn's first step. */
const EPOCH = 101;

/** The hash of the arguments in every request that a turn makes. */
export const ARGS_HASH = 'a'.repeat(64);

/** A refusal that a reply is answered with. */
export interface RefusedReply {
  readonly status: number;
  readonly code: string;
  readonly error: string;
  readonly details?: Readonly<Record<string, string>>;
}

/** A turn that a client of `FakeGateway` has started: the test decides what happens in it. */
export class FakeTurn {
  readonly turnId: string;
  readonly content: string;
  readonly #frames: string[] = [];
  readonly #encoder: TurnEncoder;
  readonly #readers = new Set<ServerResponse>();
  /** The messages that were sent into the turn, which refuses them unless a test makes it listen. */
  readonly messages: { readonly messageId: string; readonly content: string; readonly when: string }[] = [];
  isListening = false;
  /** The fields of the request besides its content. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The turn that this turn continues; undefined when the request did not say. */
  readonly parentTurnId: string | null | undefined;
  /** The replies to the turn's input requests. */
  readonly replies: ReplyBody[] = [];
  /** The refusals that the next replies are answered with, in order. */
  readonly refusals: RefusedReply[] = [];
  #asked: InputRequested | undefined;
  #onReply: () => void = () => undefined;
  #onMessage: () => void = () => undefined;
  #onCancel: () => void = () => undefined;
  #said = '';
  #isOver = false;
  readonly cancelled: Promise<void>;

  constructor(
    turnId: string,
    content: string,
    metadata: Readonly<Record<string, unknown>>,
    parentTurnId?: string | null,
  ) {
    this.metadata = metadata;
    this.parentTurnId = parentTurnId;
    this.turnId = turnId;
    this.content = content;
    this.#encoder = createNativeEncoder(turnId);
    this.cancelled = new Promise((resolve) => (this.#onCancel = resolve));
  }

  send(event: TurnEvent): void {
    const frame = this.#encoder.encode({ epoch: EPOCH, seq: this.#frames.length + 1 }, event);
    this.#frames.push(frame);
    this.#isOver ||= event.type === 'done' || event.type === 'error';
    for (const reader of this.#readers) {
      reader.write(frame);
      if (this.#isOver) reader.end();
    }
  }

  say(content: string): void {
    this.#said += content;
    this.send({ type: 'chunk', content });
  }

  end(status: 'completed' | 'cancelled' = 'completed', unapplied?: string[]): void {
    const reason = status === 'completed' ? 'answered' : 'cancelled';
    const usage = { promptTokens: 1, completionTokens: 1 };
    this.send({
      type: 'done',
      fullContent: this.#said,
      status,
      reason,
      usage,
      ...(unapplied && { unapplied }),
    });
  }

  /** Sends output of a command to the clients that listen at this moment. */
  output(content: string, stream: ToolOutput['stream'] = 'stdout'): void {
    const frame = this.#encoder.encode(null, { type: 'tool_output', callId: 'c1', stream, content });
    for (const reader of this.#readers) reader.write(frame);
  }

  /** Asks for the approval of a call, or for what `more` says. */
  ask(more: Partial<InputRequested> = {}): void {
    this.#asked = {
      type: 'input_requested',
      inputId: `${this.turnId}/1`,
      kind: 'approval',
      message: 'May it run?',
      arguments: '{"path":"a.md"}',
      argsHash: ARGS_HASH,
      options: ['allow', 'allow_turn', 'edit', 'deny'],
      default: 'deny',
      expiresAt: '2026-01-06T09:02:00.000Z',
      ...more,
    };
    this.send(this.#asked);
  }

  /** Resolves the turn's input request, as after a reply from this client or another one. */
  resolve(reply: ReplyName, more: { readonly name?: string; readonly note?: string } = {}): void {
    const { name, note } = more;
    const at = '2026-01-05T09:02:00.000Z';
    this.send({
      type: 'input_resolved',
      inputId: this.#asked?.inputId ?? '',
      reply,
      by: name === undefined ? { kind: 'local' } : { kind: 'key', name },
      at,
      ...(note !== undefined && { note }),
    });
  }

  /** Resolves to the newest reply once there are `count` of them. */
  async untilReplied(count: number): Promise<ReplyBody | undefined> {
    while (this.replies.length < count) await new Promise<void>((resolve) => (this.#onReply = resolve));
    return this.replies.at(-1);
  }

  /** Accepts a reply; returns the input request as it is afterwards. */
  take(body: ReplyBody): InputView {
    if (!this.#asked) throw new Error('nothing was asked');
    this.replies.push(body);
    this.#onReply();
    const { type: _type, ...asked } = this.#asked;
    const at = '2026-01-05T09:02:00.000Z';
    return {
      ...asked,
      turnId: this.turnId,
      projectId: 'default',
      conversationId: 'main',
      status: 'closed',
      openedAt: at,
      resolution: { reply: body.reply, by: { kind: 'local' }, at },
      closedAt: at,
    };
  }

  /** Resolves to all messages once `count` of them have come. */
  async untilHeard(count: number): Promise<FakeTurn['messages']> {
    while (this.messages.length < count) await new Promise<void>((resolve) => (this.#onMessage = resolve));
    return this.messages;
  }

  /** Shows that the model reads the message with this id. */
  apply(messageId: string, content: string): void {
    const at = '2026-01-05T09:02:00.000Z';
    this.send({ type: 'steer', messageId, content, by: { kind: 'local' }, at, interrupted: false });
  }

  hear(message: FakeTurn['messages'][number]): void {
    this.messages.push(message);
    this.#onMessage();
  }

  /** Cuts the connections of the turn's readers, who come back. */
  cut(): void {
    for (const reader of this.#readers) reader.destroy();
    this.#readers.clear();
  }

  read(request: IncomingMessage, response: ServerResponse): void {
    const after = parseEventId(String(request.headers['last-event-id'] ?? ''))?.seq ?? 0;
    if (this.#isOver && after === this.#frames.length) return void response.writeHead(204).end();
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(this.#frames.slice(after).join('') || ':\n\n');
    if (this.#isOver) return void response.end();
    this.#readers.add(response);
  }

  cancel(): void {
    this.#onCancel();
  }
}

/**
 * A gateway as a client sees it, without turns of its own: a test answers every turn event by event. Its responses are
 * checked against the description of the API. Which of them a real gateway would give may differ; `test/e2e` runs the
 * client against one.
 */
export class FakeGateway {
  readonly turns = new Map<string, FakeTurn>();
  /** The method and path of every request, in order. */
  readonly requests: string[] = [];
  /** Whether starts of turns are refused. */
  isRefusing = false;
  /** Whether every connection breaks before it is answered. */
  isAway = false;
  readonly #server: Server;
  readonly #misfits: string[] = [];
  readonly #arrived: FakeTurn[] = [];
  readonly #waiting: ((turn: FakeTurn) => void)[] = [];
  /** The answers that a test has prepared, by method and path without the query. */
  readonly #answers: Readonly<Record<string, { status?: number; body: unknown }>>;

  private constructor(answers: Readonly<Record<string, { status?: number; body: unknown }>>) {
    this.#answers = answers;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(answers: Readonly<Record<string, { status?: number; body: unknown }>> = {}) {
    const gateway = new FakeGateway(answers);
    await new Promise<void>((resolve) => gateway.#server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves to the next turn that a client starts. */
  async nextTurn(): Promise<FakeTurn> {
    return this.#arrived.shift() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Stops the gateway. Throws when it has answered something that the API description does not allow. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    if (this.#misfits.length > 0) throw new Error(this.#misfits.join('\n'));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '', 'http://gateway').pathname;
    this.requests.push(`${request.method} ${path}`);
    if (this.isAway) return void response.destroy();
    const [, turnId = '', action] = /^\/api\/turns\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    const turn = this.turns.get(turnId);
    const prepared = this.#answers[`${request.method} ${path}`];
    if (prepared) return send(response, prepared.status ?? 200, prepared.body);
    if (request.method === 'POST' && path === '/api/turns') return this.#start(request, response);
    if (turn && action === 'events') return turn.read(request, response);
    if (turn && action === 'cancel') {
      turn.cancel();
      return this.#answer(request, response, 202, { turnId, status: 'running' });
    }
    const asking = this.turns.get(/^\/api\/turns\/([^/]+)\/inputs\/1$/.exec(path)?.[1] ?? '');
    if (asking && request.method === 'POST') return this.#takeReply(request, response, asking);
    if (turn && path.endsWith('/messages')) return this.#hear(request, response, turn);
    if (turn && request.method === 'GET') return this.#answer(request, response, 200, statusOf(turn));
    if (path === '/api/chat/messages') {
      return this.#answer(request, response, 200, { messages: [], total: 0, nextOffset: null });
    }
    return this.#answer(request, response, 404, {
      error: `There is no ${request.method} ${path}.`,
      code: 'not_found',
      requestId: 'r1',
    });
  }

  async #takeReply(request: IncomingMessage, response: ServerResponse, turn: FakeTurn): Promise<void> {
    const input = turn.take((await json(request)) as ReplyBody);
    const refusal = turn.refusals.shift();
    if (refusal === undefined) return this.#answer(request, response, 200, { input });
    const { status, ...body } = refusal;
    return this.#answer(request, response, status, { ...body, requestId: 'r1' });
  }

  async #hear(request: IncomingMessage, response: ServerResponse, turn: FakeTurn): Promise<void> {
    const message = (await json(request)) as FakeTurn['messages'][number];
    const { messageId } = message;
    if (!turn.isListening) {
      const error = 'The turn has ended.';
      return this.#answer(request, response, 409, { error, code: 'turn_ended', requestId: 'r1' });
    }
    this.#answer(request, response, 202, { messageId, turnId: turn.turnId, state: 'accepted' });
    turn.hear(message);
  }

  /** Answers as the API description requires; an answer that a test has prepared may be anything. */
  #answer(request: IncomingMessage, response: ServerResponse, status: number, body: unknown): void {
    const { method = 'GET', url: path = '/' } = request;
    const misfit = mismatchOf({ method, path, status, contentType: 'application/json', body });
    if (misfit !== undefined) this.#misfits.push(misfit);
    send(response, status, body);
  }

  async #start(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { requestId, content, metadata, parentTurnId } = (await json(request)) as {
      requestId: string;
      content: string;
      metadata: Readonly<Record<string, unknown>>;
      parentTurnId?: string | null;
    };
    if (this.isRefusing) {
      return this.#answer(request, response, 429, {
        error: 'Too many turns.',
        code: 'rate_limited',
        requestId: 'r1',
      });
    }
    const turn = new FakeTurn(requestId, content, metadata, parentTurnId);
    this.turns.set(requestId, turn);
    this.#answer(request, response, 202, { turnId: requestId, eventsUrl: '/', statusUrl: '/' });
    const waiting = this.#waiting.shift();
    if (waiting) waiting(turn);
    else this.#arrived.push(turn);
  }
}

const statusOf = ({ turnId, content }: FakeTurn) => ({
  turnId,
  projectId: 'default',
  conversationId: 'main',
  status: 'running',
  reason: null,
  protocol: 'two_stage',
  mode: 'act',
  phase: 0,
  cycle: 0,
  budgets: budgetsSchema.parse({}),
  usage: null,
  waste: { duplicatesRefused: 0, retriedTokens: 0, discardedCharacters: 0 },
  cost: null,
  content,
  cancelledBy: null,
  temporalUrl: null,
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
});

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};
