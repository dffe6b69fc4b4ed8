import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../../base/log.ts';
import type { Clock } from '../../base/timing/clock.ts';
import { countedAddress } from '../access/counted-address.ts';
import { ApiError, RETRY_SOON_SECONDS } from '../errors/api-error.ts';
import { Connection, type BodyKind } from './connection.ts';
import type { ConnectionLimits } from './connection-limits.ts';

/**
 * Why a connection was cut. The log counts each reason, second by second.
 *
 * - `body`: the rest of a request came too late.
 * - `reader`: the client did not read its response.
 * - `unknown`: too many connections of one address had no known client.
 * - `full`: its place was needed for another connection, or no place was free for it.
 */
type CloseReason = 'body' | 'reader' | 'unknown' | 'full';

/**
 * Counts every connection of the gateway, from before its client is known, so that nobody keeps one without using it
 * and no client takes them all. Node itself enforces the deadline of headers (`listenHttp`). Those of bodies and
 * readers are enforced here: Node has a single deadline for all requests, which would also end the live lane, whose
 * request lasts as long as its worker.
 */
export class Connections {
  readonly limits: ConnectionLimits;
  readonly #clock: Pick<Clock, 'now' | 'every'>;
  readonly #log: Pick<Log, 'warn'> | undefined;
  readonly #bySocket = new Map<Socket, Connection>();
  /** Connections by client, the one first that has counted for the client longest. */
  readonly #byClient = new Map<string, Set<Connection>>();
  #onTimeout: () => void = () => {};
  #closedByReason: Partial<Record<CloseReason, number>> = {};
  /**
   * The time in milliseconds, which advances at each sweep, by at most twice `sweepMs`. A gateway that was frozen has
   * heard no client meanwhile, and must blame none for that silence.
   */
  #now = 0;
  #sweptAt: number;

  constructor(limits: ConnectionLimits, clock: Pick<Clock, 'now' | 'every'>, log?: Pick<Log, 'warn'>) {
    this.limits = limits;
    this.#clock = clock;
    this.#sweptAt = clock.now();
    this.#log = log;
  }

  /** Follows the connections of a server until it closes. Call it before anything else listens to requests. */
  watch(server: Server): void {
    server.on('connection', (socket) => this.#opened(socket));
    server.on('request', (req: IncomingMessage, res: ServerResponse) =>
      this.#bySocket.get(req.socket)?.noteRequest(req, res, this.#now),
    );
    const stop = this.#clock.every(this.limits.sweepMs, () => this.#sweep());
    server.once('close', stop);
  }

  /** Sets the listener that is called for each request that is answered 408 here. No route sees these responses. */
  onTimeout(listener: () => void): void {
    this.#onTimeout = listener;
  }

  /** Declares the kind of a request's body. By default it is `ordinary`. */
  expect(req: IncomingMessage, kind: BodyKind): void {
    this.#bySocket.get(req.socket)?.setBodyKind(kind);
  }

  /**
   * Assigns the connection of a request to a client. From then on it counts among those of the client, of which `max`
   * may be open. If the client has as many already, its oldest idle one is closed. When none is idle, throws
   * `rate_limited`, and this connection closes after the response.
   */
  assign(req: IncomingMessage, client: string, max = Number.POSITIVE_INFINITY): void {
    const connection = this.#bySocket.get(req.socket);
    if (!connection || connection.client === client) return;
    const owned = this.#byClient.get(client);
    if (owned && owned.size >= max && !this.#makeRoom(owned)) {
      connection.closeAfterResponse();
      throw new ApiError('rate_limited', `At most ${max} connections of one client may be open.`, {
        retryAfterSeconds: RETRY_SOON_SECONDS,
      });
    }
    this.#removeFromClient(connection);
    this.#addToClient(connection, client);
  }

  #opened(socket: Socket): void {
    const connection = new Connection(socket, '', this.#now);
    if (this.#bySocket.size >= this.limits.max && !this.#makeRoom(this.#bySocket.values())) {
      this.#count('full');
      socket.destroy();
      return;
    }
    this.#bySocket.set(socket, connection);
    this.#addToClient(connection, unknownClientOf(socket));
    socket.once('close', () => {
      this.#bySocket.delete(socket);
      this.#removeFromClient(connection);
    });
  }

  #addToClient(connection: Connection, client: string): void {
    connection.client = client;
    const owned = this.#byClient.get(client) ?? new Set();
    this.#byClient.set(client, owned.add(connection));
  }

  #removeFromClient(connection: Connection): void {
    const owned = this.#byClient.get(connection.client);
    owned?.delete(connection);
    if (owned?.size === 0) this.#byClient.delete(connection.client);
  }

  /** Cuts the oldest connection that gives way. Returns false if none does. */
  #makeRoom(candidates: Iterable<Connection>): boolean {
    for (const connection of candidates) {
      if (!mayBeClosed(connection) || connection.socket.destroyed) continue;
      this.#count('full');
      this.#forget(connection);
      return true;
    }
    return false;
  }

  #forget(connection: Connection): void {
    connection.socket.destroy();
    // The `close` event of the socket comes later. Until then the connection would still count.
    this.#bySocket.delete(connection.socket);
    this.#removeFromClient(connection);
  }

  /**
   * Cuts connections that are late. If an address has more than `maxUnknown` connections without a known client, also
   * cuts those that may be closed, down to that number. Honest clients that connect in a burst have normally sent their
   * keys before the next sweep, so they no longer count.
   */
  #sweep(): void {
    const sweptAt = this.#clock.now();
    this.#now += Math.min(sweptAt - this.#sweptAt, 2 * this.limits.sweepMs);
    this.#sweptAt = sweptAt;
    for (const connection of this.#bySocket.values()) {
      const cut = connection.closeIfLate(this.limits, this.#now, this.#onTimeout);
      if (cut) this.#count(cut);
    }
    for (const [client, owned] of this.#byClient) {
      if (client.startsWith(UNKNOWN)) this.#closeUnknown(owned);
    }
    if (Object.keys(this.#closedByReason).length === 0) return;
    this.#log?.warn({ cut: this.#closedByReason, open: this.#bySocket.size }, 'connections were cut');
    this.#closedByReason = {};
  }

  #closeUnknown(unknown: ReadonlySet<Connection>): void {
    let excess = unknown.size - this.limits.maxUnknown;
    for (const connection of unknown) {
      if (excess <= 0) return;
      if (!mayBeClosed(connection)) continue;
      this.#count('unknown');
      this.#forget(connection);
      excess -= 1;
    }
  }

  #count(reason: CloseReason): void {
    this.#closedByReason[reason] = (this.#closedByReason[reason] ?? 0) + 1;
  }
}

const UNKNOWN = 'unknown ';

/**
 * Reports whether a connection gives way to another one: it is idle, or its client is unknown and has not sent its
 * whole body. A request of an unknown client is refused anyway, and its response only waits for the rest of the body
 * (`src/gateway/requests/drain-refused-body.ts`). A client that sends a byte now and then must not hold a place.
 */
const mayBeClosed = ({ isIdle, client, owesBody }: Connection): boolean =>
  isIdle || (owesBody && client.startsWith(UNKNOWN));

/** Returns the name under which a client that is not known yet is counted: it contains the client's address. */
const unknownClientOf = (socket: Socket): string => `${UNKNOWN}${countedAddress(socket.remoteAddress)}`;
