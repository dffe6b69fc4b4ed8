import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { createFakeServer } from './fake-server.ts';
import { Gates } from './gates.ts';
import { type RecordedRequest, RequestLog } from './request-log.ts';
import { type ChatRequest, RuleBook } from './rule-book.ts';
import type { Response, Rule } from './script.ts';

export interface FakeModel {
  /** The value for `OPENAI_BASE_URL`. */
  readonly baseUrl: string;
  readonly port: number;
  /** All chat requests that have come so far. */
  readonly requests: readonly RecordedRequest[];
  /** Resolves to the oldest request that no earlier call of this method returned, once there is one. */
  nextRequest(): Promise<RecordedRequest>;
  /** Answers the next requests, whatever they ask, with these responses in turn. */
  script(...responses: readonly Response[]): void;
  /** Adds rules, for tests with several conversations at once. */
  rules(...rules: readonly Rule[]): void;
  /** Opens a gate for all responses that wait at it, now or later. */
  release(gate: string): void;
  /** Forgets rules, gates and recorded requests. */
  clear(): void;
  readonly openResponses: number;
  /** Resolves to the number of open TCP connections, idle ones included. */
  openSockets(): Promise<number>;
  close(): Promise<void>;
}

export interface FakeModelOptions {
  readonly port?: number;
  /**
   * Called before the rules, for answers that depend on more of the request than a rule can name. When it returns
   * undefined, the rules decide.
   */
  readonly respond?: (request: ChatRequest) => Response | undefined;
}

/**
 * A scriptable OpenAI-compatible provider on loopback, for tests only. It can also play faults of the wire, such as
 * resets and floods. Another process scripts it with POST `/__script` `{ rules }`, `/__release` `{ gate }` and
 * `/__clear` `{}`, and reads its requests with GET `/__requests`.
 */
export const startFakeModel = async (options: FakeModelOptions = {}): Promise<FakeModel> => {
  const { respond } = options;
  const parts = { book: new RuleBook(), gates: new Gates(), log: new RequestLog(), respond };
  const { book, gates, log } = parts;
  const server = createFakeServer(parts);
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    requests: log.all,
    nextRequest: () => log.next(),
    script: (...responses) => book.add([{ responses }]),
    rules: (...rules) => book.add(rules),
    release: (gate) => gates.release(gate),
    clear: () => [book, gates, log].forEach((part) => part.clear()),
    get openResponses() {
      return log.all.filter(({ ended }) => ended === undefined).length;
    },
    openSockets: promisify(server.getConnections.bind(server)),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
