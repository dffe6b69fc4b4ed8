import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { requestIdOf } from '../requests/request-id.ts';
import type { ApiErrorBody } from '../../contracts/http/errors.ts';
import type { ConnectionLimits } from './connection-limits.ts';

/** `lane`: writers have their own rule for silence (src/live/http/lane-reader.ts), and continue for minutes. */
export type BodyKind = 'ordinary' | 'upload' | 'lane';

/** The request whose body comes in, or came in last. */
interface Incoming {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly startedAt: number;
  kind: BodyKind;
}

/** One connection and what its client is owed: who it is, what it has not sent yet, what it has not read yet. */
export class Connection {
  readonly socket: Socket;
  /** The client that the connection counts for. */
  owner: string;
  #openResponses = 0;
  #incoming: Incoming | undefined;
  #bytesRead = 0;
  #readAt = 0;
  #acceptedBytes = 0;
  #acceptedAt: number;

  /** `now` is in milliseconds on the clock that `closeIfLate` is given. */
  constructor(socket: Socket, owner: string, now: number) {
    this.socket = socket;
    this.owner = owner;
    this.#acceptedAt = now;
  }

  /** True when no request on the connection waits for its answer. */
  get isIdle(): boolean {
    return this.#openResponses === 0;
  }

  /** True when the rest of a request is still to come. */
  get owesBody(): boolean {
    return this.#incoming !== undefined && !this.#incoming.req.complete;
  }

  requestStarted(req: IncomingMessage, res: ServerResponse, now: number): void {
    this.#openResponses += 1;
    this.#incoming = { req, res, startedAt: now, kind: 'ordinary' };
    this.#bytesRead = this.socket.bytesRead;
    this.#readAt = now;
    res.once('close', () => (this.#openResponses -= 1));
  }

  setBodyKind(kind: BodyKind): void {
    if (this.#incoming) this.#incoming.kind = kind;
  }

  /** Ends the connection after this answer: the client cannot use it for another request. */
  closeAfterResponse(): void {
    this.#incoming?.res.setHeader('Connection', 'close');
  }

  /**
   * Cuts the connection if it keeps the gateway waiting, and returns what for. `onTimeout` is called if the request
   * must be answered with 408.
   */
  closeIfLate(limits: ConnectionLimits, now: number, onTimeout: () => void): 'body' | 'reader' | undefined {
    if (this.#stalls(limits.stallMs, now)) {
      this.socket.destroy();
      return 'reader';
    }
    if (!this.#incoming || !this.#isLate(this.#incoming, limits, now)) return undefined;
    if (!this.#incoming.res.headersSent) onTimeout();
    refuseRequest(this.#incoming);
    this.#incoming = undefined;
    return 'body';
  }

  /** Only what the network has taken counts as progress; bytes that are added to the wait do not. */
  #stalls(stallMs: number, now: number): boolean {
    const waiting = this.socket.writableLength;
    const taken = this.socket.bytesWritten - waiting;
    if (waiting === 0 || taken > this.#acceptedBytes) this.#acceptedAt = now;
    this.#acceptedBytes = taken;
    return waiting > 0 && now - this.#acceptedAt >= stallMs;
  }

  #isLate({ req, startedAt, kind }: Incoming, limits: ConnectionLimits, now: number): boolean {
    if (req.complete || kind === 'lane') return false;
    if (kind === 'ordinary') return now - startedAt >= limits.bodyMs;
    if (this.socket.bytesRead !== this.#bytesRead) this.#readAt = now;
    this.#bytesRead = this.socket.bytesRead;
    return now - this.#readAt >= limits.uploadIdleMs;
  }
}

/**
 * Destroys the request, not only its socket: for a request that was answered Node would not tell the reader of its
 * body, and the file that the body is written to would stay open.
 */
const refuseRequest = ({ req, res }: Incoming): void => {
  if (res.headersSent) {
    req.destroy();
    return;
  }
  const error = 'The rest of the request did not come in time.';
  const body = { error, code: 'request_timeout', requestId: requestIdOf(req) } satisfies ApiErrorBody;
  res.writeHead(408, { 'Content-Type': 'application/json; charset=utf-8', Connection: 'close' });
  res.end(JSON.stringify(body), () => req.destroy());
};
