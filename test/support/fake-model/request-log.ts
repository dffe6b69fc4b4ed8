import { EventEmitter, once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { ChatRequest } from './rule-book.ts';

export interface RecordedRequest {
  readonly body: ChatRequest;
  readonly headers: IncomingHttpHeaders;
  /** The client's port; requests over one connection have the same port. */
  readonly clientPort: number | undefined;
  /** When the request came, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** How and when the response ended (`left`: the client closed it first); undefined while it is open. */
  ended: { readonly how: 'played' | 'left'; readonly at: number } | undefined;
  /** Settles once the response has ended. */
  readonly closed: Promise<'played' | 'left'>;
}

/** The requests of all clients, in the order in which they came. */
export class RequestLog {
  readonly #requests: RecordedRequest[] = [];
  readonly #arrived = new EventEmitter().setMaxListeners(0);
  #taken = 0;

  get all(): readonly RecordedRequest[] {
    return this.#requests;
  }

  add(body: ChatRequest, headers: IncomingHttpHeaders, res: ServerResponse): void {
    const { promise, resolve } = Promise.withResolvers<'played' | 'left'>();
    const clientPort = res.req.socket.remotePort;
    const request: RecordedRequest = {
      clientPort,
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
    this.#requests.push(request);
    this.#arrived.emit('request');
  }

  /** Resolves to the oldest request that no earlier call has returned, once there is one. */
  async next(): Promise<RecordedRequest> {
    let request = this.#requests[this.#taken];
    while (!request) {
      await once(this.#arrived, 'request');
      request = this.#requests[this.#taken];
    }
    this.#taken += 1;
    return request;
  }

  clear(): void {
    this.#requests.length = 0;
    this.#taken = 0;
  }
}
