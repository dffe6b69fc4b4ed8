import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { play } from './player.ts';
import { type ChatRequest, RuleBook } from './rule-book.ts';
import type { Response, Rule } from './script.ts';

export interface RecordedRequest {
  readonly body: ChatRequest;
  readonly headers: IncomingHttpHeaders;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** How and when the response ended; undefined while it is open. `left`: the client closed it first. */
  ended: { readonly how: 'played' | 'left'; readonly at: number } | undefined;
  /** Settles when the response has ended. */
  readonly closed: Promise<'played' | 'left'>;
}

export interface FakeModel {
  /** For `OPENAI_BASE_URL`. */
  readonly baseUrl: string;
  readonly port: number;
  /** All chat requests so far. */
  readonly requests: readonly RecordedRequest[];
  /** The oldest request that no earlier call of this method returned, once there is one. */
  nextRequest(): Promise<RecordedRequest>;
  /** Answers the next requests, whatever they ask, with these responses in turn. */
  script(...responses: readonly Response[]): void;
  /** Rules for tests with several conversations at once. */
  rules(...rules: readonly Rule[]): void;
  /** Opens a gate for all responses that wait or will wait at it. */
  release(gate: string): void;
  /** Forgets rules, gates and recorded requests. */
  clear(): void;
  readonly openResponses: number;
  /** Open TCP connections, idle ones included. */
  openSockets(): Promise<number>;
  close(): Promise<void>;
}

/**
 * A scriptable OpenAI-compatible provider on loopback, for tests only. It plays wire faults that no polite mock
 * has. Over process borders it is scripted by `/__script`, `/__release`, `/__clear` and read by `/__requests`.
 */
export async function startFakeModel(options: { port?: number } = {}): Promise<FakeModel> {
  const book = new RuleBook();
  const gates = new Set<string>();
  const signals = new EventEmitter().setMaxListeners(0);
  const requests: RecordedRequest[] = [];
  let taken = 0;

  const passGate = async (name: string, left: AbortSignal): Promise<void> => {
    while (!gates.has(name)) await once(signals, 'release', { signal: left });
  };
  const chat = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = (await json(req)) as ChatRequest;
    requests.push(record(body, req.headers, res));
    signals.emit('request');
    await play(book.take(body), res, passGate);
  };
  const release = (gate: string): void => {
    gates.add(gate);
    signals.emit('release');
  };
  const clear = (): void => {
    book.clear();
    gates.clear();
    requests.length = 0;
    taken = 0;
  };
  const control = async (req: IncomingMessage): Promise<unknown> => {
    if (req.url === '/__requests') return requests.map(({ closed: _, ...request }) => request);
    const body = (await json(req)) as { rules?: readonly Rule[]; gate?: string };
    if (req.url === '/__script') return book.add(body.rules ?? []);
    if (req.url === '/__release') return release(body.gate ?? '');
    if (req.url === '/__clear') return clear();
    throw new Error(`unknown path ${req.url}`);
  };

  const server = createServer((req, res) => {
    const served = req.url?.endsWith('/chat/completions')
      ? chat(req, res)
      : control(req).then((value) => res.end(JSON.stringify(value ?? {})));
    served.catch((error: unknown) => res.headersSent || res.writeHead(500).end(String(error)));
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    async nextRequest() {
      while (taken >= requests.length) await once(signals, 'request');
      return requests[taken++] as RecordedRequest;
    },
    script: (...responses) => book.add([{ responses }]),
    rules: (...rules) => book.add(rules),
    release,
    clear,
    get openResponses() {
      return requests.filter(({ ended }) => ended === undefined).length;
    },
    openSockets: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function record(body: ChatRequest, headers: IncomingHttpHeaders, res: ServerResponse): RecordedRequest {
  const { promise, resolve } = Promise.withResolvers<'played' | 'left'>();
  const request: RecordedRequest = {
    body,
    headers,
    receivedAt: Date.now(),
    ended: undefined,
    closed: promise,
  };
  res.once('close', () => {
    const how = res.writableFinished ? 'played' : 'left';
    request.ended = { how, at: Date.now() };
    resolve(how);
  });
  return request;
}
