import type { Agent } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { EventBatch } from '../contracts/wire/event-batch.ts';
import { MAX_LANE_LINE_BYTES } from '../contracts/wire/live-lane.ts';
import { formatEventId } from '../protocol/event-log/event-id.ts';
import { LaneConnection, type ConnectionEnd } from './lane-connection.ts';
import type { LaneLog, LanePublisher, LaneTarget, LaneLimits } from './lane.ts';

export interface LaneLine {
  /** One JSON line with its newline. */
  readonly text: string;
  readonly bytes: number;
  /** Id of the last event in it, as the gateway will acknowledge it. */
  readonly lastId: string;
  /** Milliseconds on the publisher's clock. */
  readonly publishedAt: number;
}

/** What a publisher has not been acknowledged yet, oldest first, and how much of it this connection was given. */
export class LaneBuffer {
  readonly #limits: Pick<LaneLimits, 'maxBytes' | 'maxLines'>;
  readonly #lines: LaneLine[] = [];
  #bytes = 0;
  #written = 0;

  constructor(limits: Pick<LaneLimits, 'maxBytes' | 'maxLines'>) {
    this.#limits = limits;
  }

  /** When the oldest unacknowledged line was published. */
  get oldestAt(): number | undefined {
    return this.#lines[0]?.publishedAt;
  }

  /** Over a limit the oldest lines go: the gateway asks the durable log for what it misses. */
  push(line: LaneLine): void {
    this.#lines.push(line);
    this.#bytes += line.bytes;
    while (this.#lines.length > 1 && this.#isOverLimit()) this.#drop(1);
  }

  /** The lines this connection has not been given yet, from now on counted as given. */
  takeUnwritten(): string {
    const lines = this.#lines.slice(this.#written);
    this.#written = this.#lines.length;
    return lines.map(({ text }) => text).join('');
  }

  /** A new connection has been given nothing. */
  rewind(): void {
    this.#written = 0;
  }

  /** Forgets everything up to the line that ends with this event; an id no longer held says nothing new. */
  acknowledge(lastId: string): void {
    this.#drop(this.#lines.slice(0, this.#written).findLastIndex((line) => line.lastId === lastId) + 1);
  }

  #isOverLimit(): boolean {
    return this.#bytes > this.#limits.maxBytes || this.#lines.length > this.#limits.maxLines;
  }

  #drop(count: number): void {
    for (const { bytes } of this.#lines.splice(0, count)) this.#bytes -= bytes;
    this.#written = Math.max(0, this.#written - count);
  }
}

/** A connection that the gateway kept for so long was fine: its loss does not count as a failed try. */
const PROVEN_MS = 1_000;

export interface HttpLaneDeps {
  readonly url: URL;
  readonly agent: Agent;
  /** Value of the Authorization header, made anew for every connection: a proof is good for one. */
  authorize(): string;
  readonly limits: LaneLimits;
  readonly log: LaneLog | undefined;
  /** Called once, when the publisher has ended. */
  stopped(): void;
}

/** Publishes over HTTP. Every new connection is first given again what is not acknowledged. */
export class HttpLanePublisher implements LanePublisher {
  readonly #deps: HttpLaneDeps;
  readonly #target: LaneTarget;
  readonly #buffer: LaneBuffer;
  readonly #stopped = Promise.withResolvers<void>();
  /** Undefined while waiting for the next try, and at the end. */
  #connection: LaneConnection | undefined;
  #retry: NodeJS.Timeout | undefined;
  #backoff: number;
  #state: 'open' | 'closing' | 'stopped' = 'open';
  #flushQueued = false;
  #lossLogged = false;

  constructor(deps: HttpLaneDeps, target: LaneTarget) {
    this.#deps = deps;
    this.#target = target;
    this.#buffer = new LaneBuffer(deps.limits);
    this.#backoff = deps.limits.minBackoffMs;
    this.#connect();
  }

  get acknowledged(): boolean {
    const { lateMs } = this.#deps.limits;
    const age = performance.now() - (this.#buffer.oldestAt ?? Infinity);
    return age < lateMs && this.#connection?.isHealthy(lateMs) === true;
  }

  publish(batch: EventBatch, json = batch.events.map((event) => JSON.stringify(event))): void {
    if (this.#state !== 'open') return;
    const text = `${lineOf(batch, json)}\n`;
    const bytes = Buffer.byteLength(text);
    // The gateway would refuse the writer for such a line.
    if (bytes > MAX_LANE_LINE_BYTES) return;
    const lastId = formatEventId({ epoch: batch.epoch, seq: batch.seq + batch.events.length - 1 });
    this.#buffer.push({ text, bytes, lastId, publishedAt: performance.now() });
    if (this.#flushQueued) return;
    this.#flushQueued = true;
    queueMicrotask(() => this.#flush());
  }

  async close(): Promise<void> {
    if (this.#state === 'open') {
      this.#state = 'closing';
      this.#connection?.finish(this.#buffer.takeUnwritten());
      // A gateway known to be away is not waited for.
      if (!this.#connection) this.stop();
    }
    const deadline = setTimeout(() => this.stop(), this.#deps.limits.closeMs);
    await this.#stopped.promise;
    clearTimeout(deadline);
  }

  /** Drops everything at once. */
  stop(): void {
    if (this.#state === 'stopped') return;
    this.#state = 'stopped';
    clearTimeout(this.#retry);
    this.#connection?.destroy();
    this.#stopped.resolve();
    this.#deps.stopped();
  }

  #connect(): void {
    const { url, agent, limits } = this.#deps;
    this.#connection = new LaneConnection({
      url,
      agent,
      authorization: this.#deps.authorize(),
      limits,
      handlers: {
        acknowledged: (lastId) => this.#buffer.acknowledge(lastId),
        control: (control) => this.#target.onControl(control),
        drained: () => this.#flush(),
        ended: (end) => this.#ended(end),
      },
    });
    this.#buffer.rewind();
    const text = `${JSON.stringify({ epoch: this.#target.epoch })}\n${this.#buffer.takeUnwritten()}`;
    if (this.#state === 'closing') this.#connection.finish(text);
    else this.#connection.write(text);
  }

  #flush(): void {
    this.#flushQueued = false;
    if (this.#state !== 'open' || !this.#connection || this.#connection.congested) return;
    const text = this.#buffer.takeUnwritten();
    if (text !== '') this.#connection.write(text);
  }

  #ended(end: ConnectionEnd): void {
    this.#connection = undefined;
    if (this.#state === 'stopped') return;
    switch (end.kind) {
      case 'done':
        return this.stop();
      case 'refused':
        this.#log({ reason: end.reason }, 'The gateway refused the live lane; text goes by signals alone');
        return this.stop();
      case 'lost':
        return this.#lost(end);
      default:
        return end satisfies never;
    }
  }

  #lost({ cause, acceptedMs, stale }: Extract<ConnectionEnd, { kind: 'lost' }>): void {
    if (this.#state === 'closing' && !stale && acceptedMs === undefined) return this.stop();
    if (!stale && !this.#lossLogged) {
      this.#lossLogged = true;
      this.#log({ err: cause }, 'The live lane was cut; text goes by signals until it is back');
    }
    const proven = stale || (acceptedMs !== undefined && acceptedMs >= PROVEN_MS);
    const { minBackoffMs, maxBackoffMs } = this.#deps.limits;
    const delay = proven ? 0 : this.#backoff;
    this.#backoff = proven ? minBackoffMs : Math.min(this.#backoff * 2, maxBackoffMs);
    this.#retry = setTimeout(() => this.#connect(), delay).unref();
  }

  #log(details: object, message: string): void {
    const { address, turnId, epoch } = this.#target;
    this.#deps.log?.warn({ address, turnId, epoch, ...details }, message);
  }
}

/** A `LaneBatch` around events that are JSON already. */
const lineOf = ({ epoch, seq, after }: EventBatch, json: readonly string[]): string => {
  const follows = after === undefined ? '' : `,"after":${JSON.stringify(after)}`;
  return `{"epoch":${epoch},"seq":${seq}${follows},"events":[${json.join(',')}],"sentAt":${Date.now()}}`;
};
