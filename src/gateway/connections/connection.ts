import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { httpRequestIdOf } from '../requests/http-request-id.ts';
import type { ApiErrorBody } from '../../contracts/http/errors.ts';
import type { ConnectionLimits } from './connection-limits.ts';

/**
 * The kind of a request's body. An `ordinary` one has a deadline. An `upload` may last, but not pause for long. A
 * `lane` lasts for as long as a worker writes or a gateway reads, and is watched by its own reader
 * (`src/live/http/lane-reader.ts`, `src/gateway/relay/relay-pings.ts`).
 */
export type BodyKind = 'ordinary' | 'upload' | 'lane';

/** The request whose body is coming in, or was the last to come in. */
interface Incoming {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly startedAt: number;
  kind: BodyKind;
}

/** One connection: for which client it counts, what that client still has to send, and what it has not read yet. */
export class Connection {
  readonly socket: Socket;
  /** The client that the connection counts for. */
  client: string;
  #openResponses = 0;
  #incoming: Incoming | undefined;
  #bytesRead = 0;
  #readAt = 0;
  #acceptedBytes = 0;
  #acceptedAt: number;

  /** `now` is the time in milliseconds, on the clock that `closeIfLate` is given. */
  constructor(socket: Socket, client: string, now: number) {
    this.socket = socket;
    this.client = client;
    this.#acceptedAt = now;
  }

  /** True when every request on the connection has been answered to the end. */
  get isIdle(): boolean {
    return this.#openResponses === 0;
  }

  /** True when the rest of a request is still to come. */
  get owesBody(): boolean {
    return this.#incoming !== undefined && !this.#incoming.req.complete;
  }

  /**
   * Notes that the headers of a request have come. Its body counts as `ordinary` until `setBodyKind` is called. `now`
   * is in milliseconds, as in the constructor.
   */
  noteRequest(req: IncomingMessage, res: ServerResponse, now: number): void {
    this.#openResponses += 1;
    this.#incoming = { req, res, startedAt: now, kind: 'ordinary' };
    this.#bytesRead = this.socket.bytesRead;
    this.#readAt = now;
    res.once('close', () => (this.#openResponses -= 1));
  }

  /** Sets the kind of the body that is coming in, which decides how long it may take. */
  setBodyKind(kind: BodyKind): void {
    if (this.#incoming) this.#incoming.kind = kind;
  }

  /** Ends the connection after this response: the client cannot use it for another request. */
  closeAfterResponse(): void {
    this.#incoming?.res.setHeader('Connection', 'close');
  }

  /**
   * Cuts the connection if it keeps the gateway waiting. Returns what the gateway waited for: the rest of a `body`, or
   * a `reader` of its response. Returns undefined if nothing is late. `onTimeout` is called if the request is answered
   * with 408. Times are milliseconds.
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

  /**
   * Reports whether the client has stopped reading. Only bytes that the network has taken count as progress, not bytes
   * that are added to those that wait.
   */
  #stalls(stallMs: number, now: number): boolean {
    const waitingBytes = this.socket.writableLength;
    const takenBytes = this.socket.bytesWritten - waitingBytes;
    if (waitingBytes === 0 || takenBytes > this.#acceptedBytes) this.#acceptedAt = now;
    this.#acceptedBytes = takenBytes;
    return waitingBytes > 0 && now - this.#acceptedAt >= stallMs;
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
 * Ends a request that is late, with 408 if it has no response yet. Destroys the request, not only its socket: if it was
 * answered, Node would not tell the reader of its body, and the file into which the body is written would stay open.
 */
const refuseRequest = ({ req, res }: Incoming): void => {
  if (res.headersSent) {
    req.destroy();
    return;
  }
  const error = 'The rest of the request did not come in time.';
  const body = { error, code: 'request_timeout', requestId: httpRequestIdOf(req) } satisfies ApiErrorBody;
  res.writeHead(408, { 'Content-Type': 'application/json; charset=utf-8', Connection: 'close' });
  res.end(JSON.stringify(body), () => req.destroy());
};
