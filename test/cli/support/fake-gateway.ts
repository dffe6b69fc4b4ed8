import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { budgetsSchema } from '../../../src/contracts/budgets.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';

/** A turn that a client of `FakeGateway` has asked for: the test says what happens in it. */
export class FakeTurn {
  readonly turnId: string;
  readonly content: string;
  readonly #frames: string[] = [];
  readonly #readers = new Set<ServerResponse>();
  #onCancel: () => void = () => undefined;
  #said = '';
  #isOver = false;
  readonly cancelled: Promise<void>;

  constructor(turnId: string, content: string) {
    this.turnId = turnId;
    this.content = content;
    this.cancelled = new Promise((resolve) => (this.#onCancel = resolve));
  }

  send(event: TurnEvent): void {
    const id = `1-${this.#frames.length + 1}`;
    const frame = `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
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

  end(status: 'completed' | 'cancelled' = 'completed'): void {
    const reason = status === 'completed' ? 'answered' : 'cancelled';
    const usage = { promptTokens: 1, completionTokens: 1 };
    this.send({ type: 'done', fullContent: this.#said, status, reason, usage });
  }

  /** Cuts the connections of its readers; they come back. */
  cut(): void {
    for (const reader of this.#readers) reader.destroy();
    this.#readers.clear();
  }

  read(request: IncomingMessage, response: ServerResponse): void {
    const after = Number(/^1-(\d+)$/.exec(String(request.headers['last-event-id'] ?? ''))?.[1] ?? 0);
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

/** The gateway as a client sees it, with no turns of its own: a test answers them event by event. */
export class FakeGateway {
  readonly turns = new Map<string, FakeTurn>();
  /** Method and path of every request, in order. */
  readonly requests: string[] = [];
  /** No turn is started. */
  isRefusing = false;
  /** Every connection breaks before an answer. */
  isAway = false;
  readonly #server: Server;
  readonly #arrived: FakeTurn[] = [];
  readonly #waiting: ((turn: FakeTurn) => void)[] = [];
  /** Answers of other routes, by method and path without its query. */
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

  /** The next turn that is asked for. */
  async nextTurn(): Promise<FakeTurn> {
    return this.#arrived.shift() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '', 'http://gateway').pathname;
    this.requests.push(`${request.method} ${path}`);
    if (this.isAway) return void response.destroy();
    const [, turnId = '', action] = /^\/api\/turns\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    const turn = this.turns.get(turnId);
    const prepared = this.#answers[`${request.method} ${path}`];
    if (prepared) return answer(response, prepared.status ?? 200, prepared.body);
    if (request.method === 'POST' && path === '/api/turns') return this.#start(request, response);
    if (turn && action === 'events') return turn.read(request, response);
    if (turn && action === 'cancel') {
      turn.cancel();
      return answer(response, 202, { turnId, status: 'running' });
    }
    if (turn && request.method === 'GET') return answer(response, 200, statusOf(turn));
    if (path === '/api/chat/messages')
      return answer(response, 200, { messages: [], total: 0, nextOffset: null });
    return answer(response, 404, { error: `There is no ${request.method} ${path}.`, code: 'not_found' });
  }

  async #start(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { requestId, content } = (await json(request)) as { requestId: string; content: string };
    if (this.isRefusing) return answer(response, 429, { error: 'Too many turns.', code: 'rate_limited' });
    const turn = new FakeTurn(requestId, content);
    this.turns.set(requestId, turn);
    answer(response, 202, { turnId: requestId, eventsUrl: '/', statusUrl: '/' });
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
  content,
  cancelledBy: null,
  temporalUrl: null,
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
});

const answer = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};
