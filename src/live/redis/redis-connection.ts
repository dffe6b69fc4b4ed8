import { Backoff, STABLE_CONNECTION_MS } from '../../base/timing/backoff.ts';
import type { Clock } from '../../base/timing/clock.ts';
import type { Log } from '../../base/log.ts';
import { type ChannelListener, RedisChannel } from './redis-channel.ts';
import { loadRedisLibrary, openRedisClient, type RedisCommands, type RedisLibrary } from './redis-client.ts';

/** Time limits of a connection to Redis, in milliseconds. */
export interface RedisLimits {
  /** Milliseconds between two checks whether the server is there. */
  readonly checkMs: number;
  /** Milliseconds without an answer after which the connection is given up and another one made. */
  readonly stalledMs: number;
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
}

/** The limits of a connection in production: it carries all turns of a process. */
export const DEFAULT_REDIS_LIMITS: RedisLimits = {
  checkMs: 1_000,
  stalledMs: 3_000,
  minBackoffMs: 50,
  maxBackoffMs: 1_000,
};

export interface RedisConnectionDeps {
  readonly url: string;
  readonly limits: RedisLimits;
  readonly clock: Pick<Clock, 'now' | 'after' | 'every'>;
  readonly log: Pick<Log, 'warn' | 'info'> | undefined;
  /** Called for each new connection, once commands can be sent. The server knows nothing of earlier connections. */
  onConnected(): void;
  /** Called when a connection is lost. All commands under way fail. */
  onLost(): void;
}

const WARN_EVERY_MS = 60_000;

/** The one connection of a process to Redis or Valkey, for commands and channels. It is replaced when it is lost. */
export class RedisConnection {
  readonly #deps: RedisConnectionDeps;
  readonly #channels = new Map<string, RedisChannel>();
  readonly #stopChecks: () => void;
  #library: RedisLibrary | undefined;
  /** The client, connected or not yet. Undefined while the next try is awaited, and at the end. */
  #client: RedisCommands | undefined;
  #connectedAt: number | undefined;
  #pingedAt: number | undefined;
  readonly #backoff: Backoff;
  #cancelRetry: () => void = () => undefined;
  #loggedLoss: 'nothing' | 'away' | 'refused' = 'nothing';
  #warnedAt = -Infinity;
  #isClosed = false;

  constructor(deps: RedisConnectionDeps) {
    this.#deps = deps;
    this.#backoff = new Backoff(deps.limits.minBackoffMs, deps.limits.maxBackoffMs);
    this.#stopChecks = deps.clock.every(deps.limits.checkMs, () => this.#checkServer());
  }

  /** Connects, and keeps trying until `close`. Resolves after the first try, whether or not it succeeded. */
  async open(): Promise<void> {
    const { url, limits } = this.#deps;
    try {
      // A process that is short of memory or file handles may fail to load it now, and succeed later.
      this.#library ??= await loadRedisLibrary();
    } catch (error) {
      this.#lost(undefined, error);
      return;
    }
    if (this.#isClosed) return;
    const client = openRedisClient(this.#library, url, limits.stalledMs);
    this.#client = client;
    client.on('error', (error: unknown) => this.#lost(client, error));
    try {
      await client.connect();
      this.#connected(client);
    } catch (error) {
      this.#lost(client, error);
    }
  }

  /** Commands of the connection. Undefined while there is no connection. */
  get commands(): RedisCommands | undefined {
    return this.#connectedAt === undefined ? undefined : this.#client;
  }

  /** Listens to a channel, on this connection and all later ones, until the returned function is called. */
  listen(name: string, listener: ChannelListener): () => void {
    const channel = this.#channels.get(name) ?? new RedisChannel(name, (error) => this.logFailure(error));
    this.#channels.set(name, channel);
    channel.add(listener, this.commands);
    return () => {
      if (channel.remove(listener, this.commands)) this.#channels.delete(name);
    };
  }

  /** Logs that the server refused a command, at most once a minute. A loss of the connection is logged elsewhere. */
  logFailure(error: unknown): void {
    const { clock, log } = this.#deps;
    if (!this.#isRefusal(error) || clock.now() - this.#warnedAt < WARN_EVERY_MS) return;
    this.#warnedAt = clock.now();
    log?.warn({ ...this.#details(), err: error }, 'Redis refuses a command of the live lane');
  }

  /** Closes the connection for good, with all its subscriptions. Commands that wait for an answer fail. */
  close(): void {
    this.#isClosed = true;
    this.#stopChecks();
    this.#cancelRetry();
    const client = this.#client;
    this.#client = undefined;
    this.#connectedAt = undefined;
    client?.destroy();
  }

  #connected(client: RedisCommands): void {
    // `close` was called while the client was connecting. A client can be ended only once it is connected.
    if (client !== this.#client) return client.destroy();
    this.#connectedAt = this.#deps.clock.now();
    this.#pingedAt = undefined;
    if (this.#loggedLoss !== 'nothing') {
      this.#deps.log?.info(this.#details(), 'Redis is back; the live lane goes on');
    }
    this.#loggedLoss = 'nothing';
    for (const channel of this.#channels.values()) channel.subscribe(client);
    this.#deps.onConnected();
  }

  /** Notes the loss of a client, or that none could be made, and plans the next try. */
  #lost(client: RedisCommands | undefined, cause: unknown): void {
    if (this.#isClosed || client !== this.#client) return;
    const { clock } = this.#deps;
    const keptMs = clock.now() - (this.#connectedAt ?? clock.now());
    const wasConnected = this.#connectedAt !== undefined;
    this.#client = undefined;
    this.#connectedAt = undefined;
    client?.destroy();
    this.#logLoss(cause);
    if (keptMs >= STABLE_CONNECTION_MS) this.#backoff.reset();
    this.#cancelRetry = clock.after(this.#backoff.nextPause(), () => void this.open());
    if (wasConnected) this.#deps.onLost();
  }

  /**
   * Logs an outage once, and a second time if it turns out that the server refuses the login or shows a wrong
   * certificate.
   */
  #logLoss(cause: unknown): void {
    const kind = this.#isRefusal(cause) || isCertificateError(cause) ? 'refused' : 'away';
    if (this.#loggedLoss === 'refused' || this.#loggedLoss === kind) return;
    this.#loggedLoss = kind;
    this.#deps.log?.warn(
      { ...this.#details(), err: cause },
      'Redis is away; text goes by signals until it is back',
    );
  }

  #isRefusal(error: unknown): boolean {
    return this.#library !== undefined && error instanceof this.#library.ErrorReply;
  }

  /**
   * Pings the server, or ends a connection whose last ping is late. Answers come in order, so all others are late, too.
   */
  #checkServer(): void {
    const client = this.commands;
    if (!client) return;
    const { clock, limits } = this.#deps;
    if (this.#pingedAt !== undefined) {
      const waitedMs = clock.now() - this.#pingedAt;
      if (waitedMs >= limits.stalledMs) this.#lost(client, new Error(`No answer for ${limits.stalledMs} ms`));
      return;
    }
    this.#pingedAt = clock.now();
    const answered = (): void => {
      if (client === this.#client) this.#pingedAt = undefined;
    };
    client.ping().then(answered, answered);
  }

  /** Returns the address without its login. */
  #details(): object {
    return { address: new URL(this.#deps.url).host };
  }
}

/** Reports whether an error of Node's TLS says that the server's certificate is not accepted. */
const isCertificateError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /CERT|TLS|SSL|SIGNATURE/.test(String(error.code));
