import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { pino } from 'pino';
import type { UndoneFile } from '../../../src/contracts/http/turn-api.ts';
import type { TerminalEvent, TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { createApp } from '../../../src/gateway/app.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
} from '../../../src/gateway/connections/connection-limits.ts';
import { Connections } from '../../../src/gateway/connections/connections.ts';
import type { GatewayDeps } from '../../../src/gateway/deps/gateway-deps.ts';
import type { GatewaySettings } from '../../../src/gateway/deps/route-settings.ts';
import { createGatewayMetrics } from '../../../src/gateway/health/gateway-metrics.ts';
import { listenHttp } from '../../../src/gateway/connections/http-server.ts';
import type { PageFiles } from '../../../src/gateway/page/page-files.ts';
import type {
  MessageRepository,
  NewNote,
  StoredMessage,
} from '../../../src/db/conversations/message-repository.ts';
import { TurnHub } from '../../../src/gateway/hub/turn-hub.ts';
import type { ProjectDay } from '../../../src/contracts/turn/project-day.ts';
import type { DaySpend } from '../../../src/db/usage/spend-repository.ts';
import type { OnInputNews } from '../../../src/db/inputs/input-news.ts';
import { packEvents } from '../../../src/protocol/event-log/event-log.ts';
import { requireMatch } from './api-conformance.ts';
import { SseRecorder } from '../../support/sse-recorder.ts';
import type { StorageLimits } from '../../../src/gateway/storage/storage-limits.ts';
import type { WriteSessionParts } from '../../../src/gateway/write-session/write-session-parts.ts';
import { apiKey } from './api-key.ts';
import { FakeInputs } from './fake-inputs.ts';
import { FakeSteers } from './fake-steers.ts';
import { FakeTurns } from './fake-turns.ts';
import { MemoryConversationLists } from './memory-conversation-lists.ts';
import { MemoryConversations } from './memory-conversations.ts';
import { MemoryPrompts } from './memory-prompts.ts';
import { MemoryTraces } from './memory-traces.ts';
import { FakeWriteSessions } from './fake-write-sessions.ts';
import { type Clock, systemClock } from '../../../src/base/timing/clock.ts';
import { ManualClock } from '../../support/manual-clock.ts';

export const usage = { promptTokens: 10, completionTokens: 2 };

/** Returns the last event of a turn that was answered. */
export const doneEvent = (fullContent: string): TerminalEvent => ({
  type: 'done',
  fullContent,
  status: 'completed',
  reason: 'answered',
  usage,
});

/** Messages held in memory. `describeMessageRepository` holds them to those in Postgres. */
export class FakeMessages implements MessageRepository {
  readonly stored: StoredMessage[] = [];
  asked: Parameters<MessageRepository['list']>[0] | undefined;
  lists = 0;

  list(query: Parameters<MessageRepository['list']>[0]) {
    this.asked = query;
    this.lists += 1;
    const { projectId, conversationId, limit, offset } = query;
    const all = this.stored.filter(
      (message) =>
        message.projectId === projectId &&
        (conversationId === undefined || message.conversationId === conversationId),
    );
    const messages = all.toReversed().slice(offset, offset + limit);
    return Promise.resolve({ messages, total: all.length });
  }

  findNote(projectId: string, requestId: string) {
    const isIt = (message: StoredMessage): boolean =>
      message.projectId === projectId && message.metadata['requestId'] === requestId;
    return Promise.resolve(this.stored.find(isIt));
  }

  insertNote({ requestId, ...note }: NewNote) {
    const known = this.stored.find(
      ({ projectId, metadata }) => projectId === note.projectId && metadata['requestId'] === requestId,
    );
    if (known) return Promise.resolve({ kind: 'exists' as const, message: known });
    const message: StoredMessage = {
      ...note,
      id: String(this.stored.length + 1),
      turnId: null,
      parentTurnId: null,
      metadata: { ...note.metadata, requestId },
      createdAt: new Date('2026-01-02T03:04:05Z'),
    };
    this.stored.push(message);
    return Promise.resolve({ kind: 'inserted' as const, message });
  }
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed JSON of the body. */
  readonly body: Record<string, unknown>;
}

/** A key store in which every name is a key, open to every project. */
export const everyKey: NonNullable<GatewayDeps['keys']> = {
  find: (name) => apiKey(name),
};

const SETTINGS: GatewaySettings = {
  allowedHosts: ['localhost', '127.0.0.1', '[::1]'],
  allowedOrigins: [],
  turnsPerMinute: 0,
  maxStreamsPerClient: 1_000,
  areMetricsPublic: true,
  turnsPerKey: { two_stage: 0, standard: 0 },
  offersTwoStage: true,
  maxPhaseCyclesLimit: 50,
  models: ['small', 'large'],
  temporalUi: { url: 'http://127.0.0.1:8233', namespace: 'default' },
};

/** Tests that store content use a store of their own (write-session-world.ts). */
const NO_CONTENTS: WriteSessionParts['contents'] = {
  putAdmitted: () => Promise.reject(new Error('there is no content store')),
  putEmpty: () => Promise.reject(new Error('there is no content store')),
  forget: () => Promise.resolve(),
  drafts: {
    append: () => Promise.reject(new Error('there is no content store')),
    readSize: () => Promise.resolve(0),
  },
};

const pageFile = (type: string, text: string) => ({ type, bytes: Buffer.from(text), compressed: [] });
const PAGE: PageFiles = new Map([
  ['/', pageFile('text/html; charset=utf-8', '<!doctype html><title>Orion</title>')],
  ['/assets/page.js', pageFile('text/javascript; charset=utf-8', 'export const page = 1;')],
]);

const NO_LIMITS: StorageLimits = {
  storeCounted: (_claim, store) => store(() => Promise.resolve()),
};

/** The real app behind a real port; the test controls turns, messages and time. */
export class GatewayWorld {
  readonly turns = new FakeTurns();
  readonly messages = new FakeMessages();
  readonly conversationLists = new MemoryConversationLists(this.turns);
  readonly conversations = new MemoryConversations(this.turns);
  readonly prompts = new MemoryPrompts(this.turns);
  readonly writeSessions = new FakeWriteSessions();
  readonly inputs = new FakeInputs();
  readonly steers = new FakeSteers();
  /** The callbacks that follow the news of input requests. */
  readonly followers = new Set<OnInputNews>();
  /** The result of an undo, whatever the turn. */
  undone: UndoneFile[] = [];
  /** The amounts that keys have spent, by day. */
  readonly spent: DaySpend[] = [];
  readonly projectDays = new Map<string, readonly ProjectDay[]>();
  readonly traces = new MemoryTraces();
  readonly clock = new ManualClock();
  readonly closing = new AbortController();
  readonly logLines: Record<string, unknown>[] = [];
  readonly hub: TurnHub = new TurnHub({ sources: this.turns });
  readonly connections: Connections;
  readonly #closers: (() => Promise<void> | void)[] = [];
  url = '';
  port = 0;

  /** `clock` is the clock of the connections' deadlines. */
  constructor(limits: Partial<ConnectionLimits> = {}, clock: Clock = systemClock) {
    this.connections = new Connections({ ...CONNECTION_LIMITS, ...limits }, clock);
  }

  static async open(
    settings: Partial<GatewaySettings> = {},
    deps: Partial<GatewayDeps> = {},
    limits: Partial<ConnectionLimits> = {},
    clock?: Clock,
  ): Promise<GatewayWorld> {
    const world = new GatewayWorld(limits, clock);
    const server = await listenHttp('127.0.0.1', 0, world.connections);
    world.#closers.push(() => server.close(100));
    server.serve(createApp({ ...world.deps(), settings: { ...SETTINGS, ...settings }, ...deps }));
    world.port = server.port;
    world.url = server.localUrl;
    return world;
  }

  async close(): Promise<void> {
    this.hub.close();
    for (const close of this.#closers.toReversed()) await close();
  }

  /** Sends a plain HTTP request, which unlike `fetch` may set any header. */
  request(
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: string | Buffer } = {},
  ): Promise<HttpResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    const request = httpRequest({ port: this.port, host: '127.0.0.1', method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('error', reject);
      response.on('end', () => {
        const answer = toAnswer(response.statusCode ?? 0, response.headers, text);
        try {
          checkAnswer(method, path, answer);
          resolve(answer);
        } catch (error) {
          reject(error);
        }
      });
    });
    request.on('error', reject);
    request.end(body);
    return promise;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<HttpResponse> {
    return this.request('GET', path, { headers });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<HttpResponse> {
    const json = { 'content-type': 'application/json', ...headers };
    return this.request('POST', path, { headers: json, body: JSON.stringify(body) });
  }

  /** Opens a stream by POST and records it. */
  chat(body: unknown, headers: Record<string, string> = {}, path = '/api/chat/messages') {
    return this.record(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  async record(path: string, init: RequestInit = {}): Promise<SseRecorder> {
    const recorder = await SseRecorder.open(`${this.url}${path}`, init);
    this.#closers.push(() => recorder.close());
    return recorder;
  }

  /** Has the model say something, which the live lane shows. */
  say(turnId: string, ...said: (string | TurnEvent)[]): void {
    for (const batch of packEvents(this.turns.say(turnId, ...said))) this.hub.batch(turnId, batch);
  }

  end(turnId: string, event: TerminalEvent): void {
    for (const batch of packEvents(this.turns.end(turnId, event))) this.hub.batch(turnId, batch);
  }

  /** Plays a turn that ends before anybody watches it. */
  async endedTurn(turnId: string, ...said: string[]): Promise<void> {
    await this.post('/api/turns', {
      projectId: 'p',
      content: 'hi',
      conversationId: turnId,
      requestId: turnId,
    });
    this.turns.say(turnId, ...said);
    this.turns.end(turnId, doneEvent(said.join('')));
  }

  deps(): GatewayDeps {
    const stream = {
      write: (line: string) => void this.logLines.push(JSON.parse(line) as Record<string, unknown>),
    };
    const answering = () => Promise.resolve();
    return {
      settings: SETTINGS,
      info: {
        version: '1.2.3',
        workspace: '/home/ada/project',
        settings: [{ name: 'ORION_PORT', value: '5000', isDefault: true }],
        modelFacts: [{ name: 'small', contextWindow: 32_768, vision: false, fallback: 'large' }],
      },
      page: PAGE,
      keys: undefined,
      signIns: undefined,
      connections: this.connections,
      logger: pino({ level: 'info' }, stream),
      starter: this.turns,
      turns: this.turns,
      canceller: this.turns,
      inputRequests: this.inputs,
      inputNews: {
        subscribe: (take) => {
          this.followers.add(take);
          take();
          return () => this.followers.delete(take);
        },
      },
      steers: this.steers,
      watchedTurns: this.hub,
      messages: this.messages,
      conversationLists: this.conversationLists,
      conversations: this.conversations,
      nextPrompt: (key, turn) => this.prompts.read(key, turn),
      sentPrompt: (turnId, step) => this.prompts.sent(turnId, step),
      writeSessions: this.writeSessions.parts(NO_CONTENTS),
      turnUndo: {
        undo: ({ turnId }) => Promise.resolve({ turnId, files: this.undone, otherTools: [] }),
        readTexts: () => Promise.resolve({ before: null, after: '' }),
      },
      storage: NO_LIMITS,
      spend: {
        loadToday: (owner) =>
          Promise.resolve(this.spent.find((day) => day.owner === owner) ?? { spent: 0, reserved: 0 }),
        listDays: ({ owner }) =>
          Promise.resolve({
            rows: this.spent.filter((day) => owner === undefined || day.owner === owner),
            hasMore: false,
          }),
      },
      projectDays: (projectId) => Promise.resolve(this.projectDays.get(projectId) ?? []),
      workspace: NO_FILES,
      traces: this.traces,
      probes: {
        temporal: answering,
        worker: answering,
        database: answering,
        data: answering,
        workspace: answering,
        storage: answering,
      },
      metrics: createGatewayMetrics({
        findEndStatuses: (turnIds) => this.turns.findEndStatuses(turnIds),
        startLimit: () => 300,
      }),
      lane: undefined,
      clock: this.clock,
      closing: this.closing.signal,
    };
  }
}

/** A workspace in which no project has a folder. */
const NO_FILES: GatewayDeps['workspace'] = {
  hasFolder: () => Promise.resolve(false),
  withDirectory: (projectId) => Promise.reject(new Error(`no folder of ${projectId}`)),
};

/**
 * Checks that an answer is the one that the API description promises; every answer that a test sees goes through here.
 */
const checkAnswer = (method: string, path: string, { status, headers, text }: HttpResponse): void => {
  const contentType = headers['content-type'];
  // These paths are not for clients: they connect gateway and workers, or hold the files of the chat page.
  if (path.startsWith('/internal/') || path.startsWith('/assets/')) return;
  if (method === 'HEAD' || method === 'OPTIONS' || contentType?.startsWith('text/event-stream')) return;
  const isJson = contentType?.startsWith('application/json') === true;
  requireMatch({ method, path, status, contentType, body: isJson ? JSON.parse(text) : text });
};

const toAnswer = (status: number, headers: IncomingHttpHeaders, text: string): HttpResponse => ({
  status,
  headers,
  text,
  get body() {
    return JSON.parse(text) as Record<string, unknown>;
  },
});
