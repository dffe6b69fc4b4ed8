import type { Log } from '../base/log.ts';
import { Backoff } from '../base/timing/backoff.ts';
import { type EventBatch, MAX_BATCH_WAIT_MS } from '../contracts/wire/event-batch.ts';
import { packEvents, type LoggedEvent } from '../protocol/event-log/event-log.ts';
import { systemClock, type Clock } from '../base/timing/clock.ts';
import { UnacknowledgedEvents } from './unacknowledged-events.ts';
import { KIB } from '../contracts/values/units.ts';

/**
 * Largest size of a signal in bytes, far below Temporal's 2 MiB, unless its only event is larger. A larger backlog
 * takes several signals.
 */
export const MAX_SEND_BYTES = 64 * KIB;

/** Largest size, in bytes, of the events that travel in an activity's result instead of a signal (docs/events.md). */
export const MAX_TAIL_BYTES = 512 * KIB;

/** Milliseconds of the first wait. It is short, so that the first words of an answer are durable soon. */
const FIRST_WAIT_MS = 250;

/** Longest wait in milliseconds while the lane is away. Viewers then see text only when it is signalled. */
const MAX_WAIT_WITHOUT_LANE_MS = 1_000;

/** Milliseconds between two checks of the lane during a wait. All waits are multiples of this. */
const TICK_MS = 250;

/** The first pause in milliseconds after a send that failed. Each further one is longer than the one before. */
const FIRST_BACKOFF_MS = 100;

/** The longest pause in milliseconds. It is short because `flush` and `finish` wait until a send succeeds. */
const MAX_BACKOFF_MS = 500;

export interface DurableWriterDeps {
  /**
   * Signals the workflow. `gone` means that it no longer runs. After a rejection nobody knows whether the signal
   * arrived, so the same batches are sent again.
   */
  send(batches: EventBatch[]): Promise<'stored' | 'gone'>;
  /** Reports whether the live lane delivers events in time, so that batches may wait longer. */
  isLaneHealthy(): boolean;
  /** Called when `send` answers `gone`, at most once, and not after `finish` or `stop`. Must not throw. */
  onGone(): void;
  readonly log?: Pick<Log, 'warn'>;
  readonly clock?: Pick<Clock, 'after'>;
}

interface Waiter {
  /** `resolve` is called once this many events of the writer are acknowledged. */
  readonly acknowledged: number;
  resolve(): void;
}

/**
 * Sends the events of one attempt to its workflow by signals, in batches (docs/decisions/durable-batches.md).
 *
 * - The first event is sent at once. After that, a batch is sent after `FIRST_WAIT_MS`. This wait doubles with each
 *   batch, up to `MAX_BATCH_WAIT_MS`, or `MAX_WAIT_WITHOUT_LANE_MS` while the lane is away. A batch is sent sooner once
 *   `MAX_SEND_BYTES` wait, and for `flush` and `finish`.
 * - Only one signal is in flight. The wait for the next one begins with its acknowledgement, so that a slow server is
 *   not pressed harder.
 * - While signals fail the backlog grows. The turn's token budget bounds it.
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
  #nextWaitMs = FIRST_WAIT_MS;
  #cancelTimer: () => void = () => {};
  #endPause: () => void = () => {};

  constructor(deps: DurableWriterDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
  }

  /**
   * Takes the next event, whose id must be above all earlier ones. `bytes` is the size of its JSON in a batch. Throws
   * Error after `finish`, because the event would be lost. Does nothing after `stop`, and once the workflow is gone.
   */
  add(event: LoggedEvent, bytes: number): void {
    if (this.#state === 'finished') throw new Error('Event added to a durable writer that is finished');
    if (this.#state !== 'open') return;
    this.#backlog.add(event, bytes);
    this.#sendIfDue();
  }

  /**
   * Sends everything that was added so far, without the usual wait. Resolves when all of it is acknowledged, or when
   * the writer has ended. Never rejects.
   */
  flush(): Promise<void> {
    return this.#waitUntilAcknowledged(this.#acknowledged + this.#backlog.all.length);
  }

  /**
   * Ends the writer and returns the events that are not acknowledged, at most `MAX_TAIL_BYTES`. A larger backlog is
   * first sent by signals until it is small enough. The result includes the events of a signal in flight, since the
   * workflow ignores repeats. It is empty if the workflow is gone.
   */
  async finish(): Promise<EventBatch[]> {
    while (this.#state === 'open' && this.#backlog.bytes > MAX_TAIL_BYTES) {
      await this.#waitUntilAcknowledged(this.#acknowledged + 1);
    }
    if (this.#state === 'open') this.#end('finished');
    return this.#state === 'gone' ? [] : packEvents(this.#backlog.all);
  }

  /** Ends the writer at once, for an attempt that fails: its events are void. */
  stop(): void {
    if (this.#state === 'open') this.#end('stopped');
  }

  #waitUntilAcknowledged(acknowledged: number): Promise<void> {
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
    const outcome = await this.#sendUntilAnswered(packEvents(events));
    this.#isSending = false;
    if (this.#state !== 'open') return;
    if (outcome === 'gone') {
      this.#end('gone');
      this.#deps.onGone();
      return;
    }
    this.#acknowledge(events.length);
    this.#wait();
    this.#sendIfDue();
  }

  /**
   * Sends the batches until they are stored or the workflow is gone. Returns undefined if the writer ended before one
   * of these was known.
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
    const waitMs = this.#nextWaitMs;
    this.#nextWaitMs = Math.min(waitMs * 2, MAX_BATCH_WAIT_MS);
    this.#isDue = false;
    this.#waitInSteps(waitMs, 0);
  }

  /** Waits in steps, because the lane may break or come back during a long wait. */
  #waitInSteps(waitMs: number, waitedMs: number): void {
    if (
      waitedMs >= Math.min(waitMs, this.#deps.isLaneHealthy() ? MAX_BATCH_WAIT_MS : MAX_WAIT_WITHOUT_LANE_MS)
    ) {
      this.#isDue = true;
      this.#sendIfDue();
    } else {
      this.#cancelTimer = this.#clock.after(TICK_MS, () => this.#waitInSteps(waitMs, waitedMs + TICK_MS));
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
