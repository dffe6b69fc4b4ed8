import type { Log } from '../base/log.ts';
import { Backoff } from '../base/pace/backoff.ts';
import type { EventBatch } from '../contracts/wire/event-batch.ts';
import { packEvents, type StoredEvent } from '../protocol/event-log/event-log.ts';
import { systemClock, type Clock } from '../base/pace/clock.ts';

/** Bytes of one signal; a larger backlog goes in several, far below Temporal's payload limit of 2 MiB. */
export const MAX_SEND_BYTES = 64 * 1024;
/** Bytes of events that may travel in an activity's result instead of a signal (docs/events.md). */
export const MAX_TAIL_BYTES = 512 * 1024;
const FIRST_WAIT_MS = 250;
/**
 * Viewers on a healthy lane do not wait for signals, so these may be rare: at 4 s an answer of 20 s costs 9 of them, at
 * 2 s 13, which by themselves break the 60 history events that docs/performance.md grants such an answer.
 */
const MAX_WAIT_MS = 4_000;
/** The longest wait while the lane is away: viewers then see text only as often as it is signalled. */
const MAX_WAIT_WITHOUT_LANE_MS = 1_000;
/** Milliseconds after which a wait looks at the lane again; all waits are multiples of it. */
const TICK_MS = 250;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 500;

export interface DurableWriterDeps {
  /**
   * Signals the workflow. `gone`: it no longer runs. After a rejection nobody knows whether it arrived, and the same
   * batches go again.
   */
  send(batches: EventBatch[]): Promise<'stored' | 'gone'>;
  isLaneHealthy(): boolean;
  /** Called once, when `send` answered `gone`. Must not throw. */
  onGone(): void;
  readonly log?: Pick<Log, 'warn'>;
  readonly clock?: Pick<Clock, 'after'>;
}

interface Waiter {
  /** Number of acknowledged events that is waited for. */
  readonly acknowledged: number;
  resolve(): void;
}

/**
 * Brings the events of one attempt to its workflow by signals, batched by time (docs/decisions/durable-batches.md): the
 * first event at once, then after 250 ms, doubling, and at 64 KiB. One send is in flight, the next goes only after its
 * acknowledgement, and waits are counted from there, so that a slow server is not pressed harder. While sends fail the
 * backlog grows; the turn's token budget bounds it.
 */
export class DurableWriter {
  readonly #deps: DurableWriterDeps;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #backlog = new UnacknowledgedEvents();
  #acknowledged = 0;
  #waiters: Waiter[] = [];
  #state: 'open' | 'finished' | 'stopped' | 'gone' = 'open';
  #isSending = false;
  /** True when the wait since the last acknowledgement is over. */
  #isDue = true;
  #nextWait = FIRST_WAIT_MS;
  #cancelTimer: () => void = () => {};
  #endPause: () => void = () => {};

  constructor(deps: DurableWriterDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
  }

  /**
   * Takes the next event; ids ascend. `bytes`: size of its JSON in a batch. Throws after `finish`, because the event
   * would be lost.
   */
  add(event: StoredEvent, bytes: number): void {
    if (this.#state === 'finished') throw new Error('Event added to a durable writer that is finished');
    if (this.#state !== 'open') return;
    this.#backlog.add(event, bytes);
    this.#sendIfDue();
  }

  /**
   * Sends without waiting; resolves when all that was added so far is acknowledged, or when the writer has ended
   * (`onGone`, `stop`).
   */
  flush(): Promise<void> {
    return this.#untilAcknowledged(this.#acknowledged + this.#backlog.all.length);
  }

  /**
   * Ends the writer and returns what is not acknowledged, at most 512 KiB: a larger rest is sent first. This includes
   * what is in flight; the workflow ignores repeats. Empty when the workflow is gone.
   */
  async finish(): Promise<EventBatch[]> {
    while (this.#state === 'open' && this.#backlog.bytes > MAX_TAIL_BYTES) {
      await this.#untilAcknowledged(this.#acknowledged + 1);
    }
    if (this.#state === 'open') this.#end('finished');
    return this.#state === 'gone' ? [] : packEvents(this.#backlog.all);
  }

  /** Ends the writer at once, for an attempt that fails: its events are void. */
  stop(): void {
    if (this.#state === 'open') this.#end('stopped');
  }

  #untilAcknowledged(acknowledged: number): Promise<void> {
    if (this.#state !== 'open' || acknowledged <= this.#acknowledged) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters.push({ acknowledged, resolve });
      this.#sendIfDue();
    });
  }

  #sendIfDue(): void {
    if (this.#state !== 'open' || this.#isSending || this.#backlog.bytes === 0) return;
    if (this.#isDue || this.#waiters.length > 0 || this.#backlog.bytes >= MAX_SEND_BYTES) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    this.#cancelTimer();
    const events = this.#backlog.head(MAX_SEND_BYTES);
    const answer = await this.#sendUntilAnswered(packEvents(events));
    this.#isSending = false;
    if (this.#state !== 'open') return;
    if (answer === 'gone') {
      this.#end('gone');
      this.#deps.onGone();
      return;
    }
    this.#acknowledge(events.length);
    this.#wait();
    this.#sendIfDue();
  }

  /**
   * Sends the batches until they are stored or the workflow is gone; returns undefined when the writer ended before an
   * answer came.
   */
  async #sendUntilAnswered(batches: EventBatch[]): Promise<'stored' | 'gone' | undefined> {
    const backoff = new Backoff(FIRST_BACKOFF_MS, MAX_BACKOFF_MS);
    for (;;) {
      try {
        return await this.#deps.send(batches);
      } catch (error) {
        if (this.#state !== 'open') return undefined;
        if (backoff.isFirst) {
          this.#deps.log?.warn({ err: error }, 'the workflow cannot be signalled; trying until it can');
        }
        await this.#pause(backoff.nextPause());
        if (this.#state !== 'open') return undefined;
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }

  #acknowledge(count: number): void {
    this.#backlog.drop(count);
    this.#acknowledged += count;
    const reached = this.#waiters.filter((waiter) => waiter.acknowledged <= this.#acknowledged);
    this.#waiters = this.#waiters.filter((waiter) => waiter.acknowledged > this.#acknowledged);
    for (const waiter of reached) waiter.resolve();
  }

  #wait(): void {
    const wait = this.#nextWait;
    this.#nextWait = Math.min(wait * 2, MAX_WAIT_MS);
    this.#isDue = false;
    this.#tick(wait, 0);
  }

  /** Waits in steps, because the lane may break or come back during a long wait. */
  #tick(wait: number, waited: number): void {
    if (waited >= Math.min(wait, this.#deps.isLaneHealthy() ? MAX_WAIT_MS : MAX_WAIT_WITHOUT_LANE_MS)) {
      this.#isDue = true;
      this.#sendIfDue();
    } else {
      this.#cancelTimer = this.#clock.after(TICK_MS, () => this.#tick(wait, waited + TICK_MS));
    }
  }

  #end(state: 'finished' | 'stopped' | 'gone'): void {
    this.#state = state;
    this.#cancelTimer();
    this.#endPause();
    for (const waiter of this.#waiters) waiter.resolve();
    this.#waiters = [];
  }
}

/** The events, in the order of their ids, that the workflow has not acknowledged yet. */
class UnacknowledgedEvents {
  readonly #events: StoredEvent[] = [];
  readonly #sizes: number[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get all(): readonly StoredEvent[] {
    return this.#events;
  }

  /** `bytes` is the size of the event as JSON in a batch; the comma is counted here. */
  add(event: StoredEvent, bytes: number): void {
    const size = bytes + 1;
    this.#events.push(event);
    this.#sizes.push(size);
    this.#bytes += size;
  }

  /** Returns the oldest events that fit in `maxBytes`; an event larger than that comes by itself. */
  head(maxBytes: number): StoredEvent[] {
    let count = 0;
    for (let bytes = 0; count < this.#sizes.length; count += 1) {
      bytes += this.#sizes[count] ?? 0;
      if (bytes > maxBytes && count > 0) break;
    }
    return this.#events.slice(0, count);
  }

  /** Forgets the oldest `count` events. */
  drop(count: number): void {
    this.#events.splice(0, count);
    for (const size of this.#sizes.splice(0, count)) this.#bytes -= size;
  }
}
