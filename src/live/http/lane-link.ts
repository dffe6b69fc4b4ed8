import type { Log } from '../../base/log.ts';
import { Backoff, STABLE_CONNECTION_MS } from '../../base/timing/backoff.ts';
import type { Clock } from '../../base/timing/clock.ts';
import type { LaneControl, LaneLine } from '../../contracts/wire/live-lane.ts';
import type { UnacknowledgedBytes } from '../lane-buffer.ts';
import { LaneConnection, type ConnectionEnd, type ConnectionHandlers } from './lane-connection.ts';
import type { LaneLimits } from '../lane-limits.ts';
import { WriteCoalescer } from './write-coalescer.ts';
import { KIB } from '../../contracts/values/units.ts';

/**
 * Milliseconds without a writer after which the connection is closed. It is kept that long because the next writer may
 * come at any moment.
 */
const IDLE_MS = 30_000;
/** About how many bytes are handed to the socket at a time. */
const MAX_WRITE_BYTES = 256 * KIB;
/** About how many bytes are taken from one writer before the next writer follows. */
const MAX_SHARE_BYTES = 64 * KIB;

/** One writer of a link, on a channel of its own. */
export interface LinkWriter {
  /**
   * Returns the next lines that the connection has not been given yet. They count as given from now on. Only the last
   * of them may go beyond `maxBytes`.
   */
  takeUnwritten(maxBytes: number): string;
  /** True when there is more to write than `takeUnwritten` has returned. */
  readonly hasUnwritten: boolean;
  /** Starts over on a new connection: every line that is not acknowledged is sent again. */
  rewind(): void;
  /** Notes that the gateway has everything up to the event with this id. */
  acknowledge(lastId: string): void;
  /** Takes what the gateway asks of this writer, such as to stop because the user has cancelled the turn. */
  control(control: LaneControl): void;
  /** Notes that the connection is away. `wasAccepted` is true if the gateway had accepted it. */
  onConnectionLost(wasAccepted: boolean): void;
  /**
   * Notes that the channel is over. `refusal` says why the gateway does not accept this writer. It is undefined if the
   * writer or the link was ended.
   */
  onEnded(refusal?: string): void;
}

export interface LaneLinkDeps {
  readonly url: URL;
  /** Returns the Authorization header for a new connection, with a proof that no other connection has used. */
  authorize(): string;
  readonly limits: LaneLimits;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'> | undefined;
  /** Called once, when the link has ended: the next writer needs another link. */
  onStopped(): void;
}

/**
 * The one connection of this worker to one gateway, for the writers of all turns. When the connection is lost, a new
 * one is made, and each writer begins there with what is not acknowledged. Lines are sent at once while the event loop
 * is quiet. While it is busy, the lines of one tick are sent together at its end.
 */
export class LaneLink {
  /** The bytes that all writers hold together. */
  readonly unacknowledged: UnacknowledgedBytes;
  readonly #deps: LaneLinkDeps;
  readonly #writers = new Map<number, LinkWriter>();
  /** Writers that have lines to send, in the order in which they are served. */
  readonly #due = new Set<LinkWriter>();
  /** Channels whose writers left before the gateway could be notified. */
  readonly #abandoned = new Set<number>();
  #lastChannel = 0;
  /** The open connection. Undefined while the next try is awaited, and at the end. */
  #connection: LaneConnection | undefined;
  readonly #writes = new WriteCoalescer(() => this.#write());
  #cancelRetry: () => void = () => undefined;
  #cancelIdle: () => void = () => undefined;
  readonly #backoff: Backoff;
  #hasLoggedLoss = false;
  /** True when the last connection ended before the gateway had accepted it. */
  #hasFailed = false;
  #isStopped = false;

  constructor(deps: LaneLinkDeps) {
    this.#deps = deps;
    this.unacknowledged = { bytes: 0, maxBytes: deps.limits.maxLinkBytes };
    this.#backoff = new Backoff(deps.limits.minBackoffMs, deps.limits.maxBackoffMs);
    this.#connect();
  }

  /**
   * True when there is a connection, even one that is still being made. After a failed try, only a connection that the
   * gateway has accepted counts.
   */
  get isConnected(): boolean {
    return this.#connection !== undefined && (this.#connection.isAccepted || !this.#hasFailed);
  }

  /** Reports whether the connection is healthy, as `LaneConnection.isHealthy` says. Without a connection it is not. */
  isHealthy(lateMs: number): boolean {
    return this.#connection?.isHealthy(lateMs) === true;
  }

  /** Adds a writer and returns its channel, a number that this link does not use again. */
  join(writer: LinkWriter): number {
    this.#cancelIdle();
    this.#lastChannel += 1;
    this.#writers.set(this.#lastChannel, writer);
    return this.#lastChannel;
  }

  /**
   * Removes a writer. `isOpen` is true if the gateway knows the channel and has not been notified of its end. When the
   * last writer has left, the link stops: after `IDLE_MS` if it has a connection, otherwise at once.
   */
  leave(channel: number, isOpen: boolean): void {
    const writer = this.#writers.get(channel);
    if (!writer) return;
    this.#writers.delete(channel);
    this.#due.delete(writer);
    if (isOpen && this.#connection && !this.#isStopped) {
      this.#abandoned.add(channel);
      this.#writes.request();
    }
    if (this.#writers.size > 0) return;
    this.#cancelIdle();
    if (this.#connection) this.#cancelIdle = this.#deps.clock.after(IDLE_MS, () => this.stop());
    else this.stop();
  }

  /** Notes that a writer has lines to send. */
  requestWrite(writer: LinkWriter): void {
    this.#due.add(writer);
    this.#writes.request();
  }

  /** Ends the link and its writers at once. What is not acknowledged is dropped. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#cancelRetry();
    this.#cancelIdle();
    this.#deps.onStopped();
    this.#connection?.destroy();
    for (const writer of this.#writers.values()) writer.onEnded();
  }

  #connect(): void {
    const { url, limits, clock, authorize } = this.#deps;
    const handlers: ConnectionHandlers = {
      onReply: (reply) => this.#read(reply),
      onDrained: () => this.#write(),
      onEnded: (end) => this.#handleEnd(end),
    };
    this.#connection = new LaneConnection({ url, authorization: authorize(), limits, clock, handlers });
    for (const writer of this.#writers.values()) {
      writer.rewind();
      this.#due.add(writer);
    }
    this.#write();
  }

  #write(): void {
    while (this.#due.size + this.#abandoned.size > 0 && this.#connection && !this.#connection.isCongested) {
      this.#connection.write(this.#nextText());
    }
  }

  #nextText(): string {
    let text = '';
    for (const channel of this.#abandoned) {
      const line: LaneLine = { channel, close: true };
      text += `${JSON.stringify(line)}\n`;
    }
    this.#abandoned.clear();
    for (const writer of this.#due) {
      this.#due.delete(writer);
      text += writer.takeUnwritten(MAX_SHARE_BYTES);
      if (writer.hasUnwritten) this.#due.add(writer);
      if (text.length >= MAX_WRITE_BYTES) break;
    }
    return text;
  }

  #read(reply: Parameters<ConnectionHandlers['onReply']>[0]): void {
    if ('acks' in reply) {
      for (const [channel, lastId] of reply.acks) this.#writers.get(channel)?.acknowledge(lastId);
      return;
    }
    const writer = this.#writers.get(reply.channel);
    if ('control' in reply) writer?.control(reply.control);
    else writer?.onEnded('refused' in reply ? reply.refused : undefined);
  }

  #handleEnd(end: ConnectionEnd): void {
    this.#connection = undefined;
    // The next connection will not know these channels.
    this.#abandoned.clear();
    if (this.#isStopped) return;
    if (end.kind === 'lost') return this.#handleLoss(end);
    this.#log({ reason: end.reason }, 'the gateway refused the live lane; text goes only by signals');
    this.stop();
  }

  #handleLoss({ cause, acceptedMs }: Extract<ConnectionEnd, { kind: 'lost' }>): void {
    for (const writer of this.#writers.values()) writer.onConnectionLost(acceptedMs !== undefined);
    if (this.#writers.size === 0) return this.stop();
    this.#hasFailed = acceptedMs === undefined;
    const wasStable = acceptedMs !== undefined && acceptedMs >= STABLE_CONNECTION_MS;
    if (!this.#hasLoggedLoss || wasStable) {
      this.#hasLoggedLoss = true;
      this.#log({ err: cause }, 'the live lane was cut; text goes by signals until it is back');
    }
    if (wasStable) this.#backoff.reset();
    // A connection that has lasted is replaced at once. Others wait, so that a failing gateway is not pressed.
    const pauseMs = wasStable ? 0 : this.#backoff.nextPause();
    this.#cancelRetry = this.#deps.clock.after(pauseMs, () => this.#connect());
  }

  #log(details: object, message: string): void {
    const { url, log } = this.#deps;
    log?.warn({ address: url.origin, writers: this.#writers.size, ...details }, message);
  }
}
