import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ipKeyGenerator } from 'express-rate-limit';
import type { Log } from '../../base/log.ts';
import type { Clock } from '../../base/timing/clock.ts';
import { ApiError, SOON_SECONDS } from '../errors/api-error.ts';
import { Connection, type BodyKind } from './connection.ts';
import type { ConnectionLimits } from './connection-limits.ts';

/** Why connections were cut, for the log, which counts them second by second. */
type CloseReason = 'body' | 'reader' | 'unknown' | 'full';

/**
 * Counts every connection of the gateway before its key is known, so that nobody keeps one without using it and no
 * client takes them all. Node itself enforces the deadlines of headers (http-server.ts). Those of bodies and readers
 * are enforced here, since Node has one for all requests and the live lane sends one as long as its worker lives.
 */
export class Connections {
  readonly limits: ConnectionLimits;
  readonly #clock: Pick<Clock, 'now' | 'every'>;
  readonly #log: Pick<Log, 'warn'> | undefined;
  readonly #bySocket = new Map<Socket, Connection>();
  /** Connections by owner, in the order in which they came. */
  readonly #byOwner = new Map<string, Set<Connection>>();
  #onTimeout: () => void = () => {};
  #cut: Partial<Record<CloseReason, number>> = {};
  /**
   * Milliseconds in which clients could have been heard: after a freeze of the gateway they are not blamed for its
   * silence.
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
      this.#bySocket.get(req.socket)?.requestStarted(req, res, this.#now),
    );
    const stop = this.#clock.every(this.limits.sweepMs, () => this.#sweep());
    server.once('close', stop);
  }

  /** Sets a listener that is called for each request that is answered 408, which no route sees. */
  onTimeout(listener: () => void): void {
    this.#onTimeout = listener;
  }

  /** Declares the kind of a request's body; by default it is an `ordinary` one, which has to be short. */
  expect(req: IncomingMessage, kind: BodyKind): void {
    this.#bySocket.get(req.socket)?.setBodyKind(kind);
  }

  /**
   * Notes the client of a request: from now on its connection counts among the client's own, of which `max` may be
   * open. Another one takes the place of an idle one. Throws `rate_limited` when all of them are busy.
   */
  claim(req: IncomingMessage, client: string, max = Number.POSITIVE_INFINITY): void {
    const connection = this.#bySocket.get(req.socket);
    if (!connection || connection.owner === client) return;
    const owned = this.#byOwner.get(client);
    if (owned && owned.size >= max && !this.#makeRoom(owned)) {
      connection.closeAfterResponse();
      throw new ApiError('rate_limited', `At most ${max} connections of one client may be open.`, {
        retryAfterSeconds: SOON_SECONDS,
      });
    }
    this.#removeOwned(connection);
    this.#addOwned(connection, client);
  }

  #opened(socket: Socket): void {
    const connection = new Connection(socket, '', this.#now);
    if (this.#bySocket.size >= this.limits.max && !this.#makeRoom(this.#bySocket.values())) {
      this.#count('full');
      socket.destroy();
      return;
    }
    this.#bySocket.set(socket, connection);
    this.#addOwned(connection, unknownOf(socket));
    socket.once('close', () => {
      this.#bySocket.delete(socket);
      this.#removeOwned(connection);
    });
  }

  #addOwned(connection: Connection, owner: string): void {
    connection.owner = owner;
    const owned = this.#byOwner.get(owner) ?? new Set();
    this.#byOwner.set(owner, owned.add(connection));
  }

  #removeOwned(connection: Connection): void {
    const owned = this.#byOwner.get(connection.owner);
    owned?.delete(connection);
    if (owned?.size === 0) this.#byOwner.delete(connection.owner);
  }

  /** Cuts the oldest of those that give way; returns false when none does. */
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
    // Its `close` event comes later; until then it would still count.
    this.#bySocket.delete(connection.socket);
    this.#removeOwned(connection);
  }

  /**
   * A burst of honest connections has sent its headers before the next sweep and is no longer counted: only connections
   * that linger are cut.
   */
  #sweep(): void {
    const sweptAt = this.#clock.now();
    this.#now += Math.min(sweptAt - this.#sweptAt, 2 * this.limits.sweepMs);
    this.#sweptAt = sweptAt;
    for (const connection of this.#bySocket.values()) {
      const cut = connection.closeIfLate(this.limits, this.#now, this.#onTimeout);
      if (cut) this.#count(cut);
    }
    for (const [owner, owned] of this.#byOwner) {
      if (owner.startsWith(UNKNOWN)) this.#closeUnknown(owned);
    }
    if (Object.keys(this.#cut).length === 0) return;
    this.#log?.warn({ cut: this.#cut, open: this.#bySocket.size }, 'connections were cut');
    this.#cut = {};
  }

  #closeUnknown(unknown: ReadonlySet<Connection>): void {
    let tooMany = unknown.size - this.limits.maxUnknown;
    for (const connection of unknown) {
      if (tooMany <= 0) return;
      if (!mayBeClosed(connection)) continue;
      this.#count('unknown');
      this.#forget(connection);
      tooMany -= 1;
    }
  }

  #count(cut: CloseReason): void {
    this.#cut[cut] = (this.#cut[cut] ?? 0) + 1;
  }
}

const UNKNOWN = 'unknown ';

/**
 * Tells if a connection gives way to another: it idles, or an unknown client owes a body on it. Such a request is
 * refused, and its answer only waits for the rest of the body (`src/gateway/requests/rest-of-body.ts`). A client that
 * sends a byte now and then must not hold a place.
 */
const mayBeClosed = ({ isIdle, owner, owesBody }: Connection): boolean =>
  isIdle || (owesBody && owner.startsWith(UNKNOWN));

/** An IPv6 client owns a whole subnet of addresses, so the subnet is counted. */
const unknownOf = (socket: Socket): string => `${UNKNOWN}${ipKeyGenerator(socket.remoteAddress ?? '')}`;
