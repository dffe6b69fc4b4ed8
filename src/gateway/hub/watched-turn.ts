import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import { compareEventIds, type EventId } from '../../contracts/wire/event-id.ts';
import { accept, expandBatch, nextAfter, type LoggedEvent } from '../../protocol/event-log/event-log.ts';
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import { isTerminal } from '../../contracts/wire/turn-event.ts';
import type { TurnViewer } from '../ports/live-turns.ts';
import { ReorderBuffer } from './reorder-buffer.ts';

interface Subscription {
  readonly viewer: TurnViewer;
  /** Id of the last event that the viewer holds. Null if it holds none. */
  cursor: EventId | null;
}

/**
 * The events of one turn that a gateway knows, and the viewers to which it delivers them. It has no I/O and no clock:
 * `TurnFollower` decides which source is asked when. It keeps three promises:
 *
 * - The list begins at the turn's beginning and has no gap. It changes only through `accept` or by the turn's end.
 * - A viewer gets every listed event after the last one that it holds, in order, each once. A reset reaches it as an
 *   event.
 * - After the terminal event nothing is taken in.
 */
export class WatchedTurn {
  #list: LoggedEvent[] = [];
  readonly #reorderBuffer = new ReorderBuffer();
  readonly #subscriptions = new Set<Subscription>();
  readonly #onViewerFailure: (error: unknown) => void;
  #hasEnded = false;

  constructor(onViewerFailure: (error: unknown) => void) {
    this.#onViewerFailure = onViewerFailure;
  }

  /** Id of the last listed event. Null while the list is empty. */
  get lastId(): EventId | null {
    return this.#list.at(-1)?.id ?? null;
  }

  /** True while somebody is subscribed. The follower does not poll for a turn that nobody watches. */
  get hasViewers(): boolean {
    return this.#subscriptions.size > 0;
  }

  /** True when the list has the terminal event, or was replaced by `finish`. No further event is taken in. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** True when the last event is an input request, since the turn then waits for a reply. */
  get isWaiting(): boolean {
    return this.#list.at(-1)?.event.type === 'input_requested';
  }

  /** True when events wait here whose predecessors have not arrived. */
  get hasGap(): boolean {
    return this.#reorderBuffer.size > 0;
  }

  /**
   * Adds a viewer, and delivers what is listed after `after` before it returns. The returned function ends the
   * subscription, and may be called at any time.
   */
  attach(after: EventId | null, viewer: TurnViewer): () => void {
    const subscription: Subscription = { viewer, cursor: after };
    this.#subscriptions.add(subscription);
    this.#deliver(subscription);
    if (this.#hasEnded) this.#end(subscription);
    return () => this.#subscriptions.delete(subscription);
  }

  /**
   * Takes in a batch of the live lane or a page of durable batches, and delivers what is new. `hasNews` is true if the
   * list has changed. `hasSeenEnd` is true if the terminal event came before an event that precedes it: the turn has
   * then ended, although the list here is not complete.
   */
  addBatches(batches: readonly EventBatch[]): { hasNews: boolean; hasSeenEnd: boolean } {
    let hasNews = false;
    let hasSeenEnd = false;
    for (const event of batches.flatMap(expandBatch)) {
      const verdict = this.#accept(event);
      if (verdict === 'accepted') hasNews = true;
      if (verdict !== 'gap') continue;
      // The terminal event is not kept: the follower now reads the whole list from Postgres.
      if (isTerminal(event.event)) hasSeenEnd = true;
      else this.#reorderBuffer.add(event);
    }
    if (!hasNews) return { hasNews, hasSeenEnd };
    this.#reorderBuffer.retry((event) => this.#accept(event));
    this.#deliverAll();
    return { hasNews, hasSeenEnd };
  }

  /** Passes output on to those who watch now. It is not kept for later viewers. */
  showOutput(output: ToolOutput): void {
    if (this.#hasEnded) return;
    for (const subscription of this.#subscriptions) {
      this.#callViewer(subscription, ({ viewer }) => viewer.output?.(output));
    }
  }

  /**
   * Replaces the list with the events of the ended turn, delivers what viewers lack of them, and ends every viewer.
   * Does nothing if the turn has ended here before.
   */
  finish(events: readonly LoggedEvent[]): void {
    if (this.#hasEnded) return;
    this.#list = [...events];
    this.#hasEnded = true;
    this.#deliverAll();
  }

  /** Ends every viewer at the event it has reached. */
  endViewers(): void {
    for (const subscription of this.#subscriptions) this.#end(subscription);
  }

  #accept(event: LoggedEvent): 'accepted' | 'stale' | 'gap' {
    if (this.#hasEnded) return 'stale';
    const verdict = accept(this.#list, event);
    if (verdict === 'accepted' && isTerminal(event.event)) this.#hasEnded = true;
    return verdict;
  }

  #deliverAll(): void {
    for (const subscription of this.#subscriptions) this.#deliver(subscription);
    if (this.#hasEnded) this.endViewers();
  }

  /**
   * Delivers what the viewer lacks. The cursor moves before each call, so a viewer may detach, attach others or cause
   * another delivery while it is called.
   */
  #deliver(subscription: Subscription): void {
    this.#callViewer(subscription, ({ viewer }) => {
      while (this.#subscriptions.has(subscription)) {
        const next = this.#nextOf(subscription);
        if (!next) return;
        subscription.cursor = next.id;
        viewer.event(next.id, next.event, next.after);
      }
    });
  }

  #callViewer(subscription: Subscription, call: (subscription: Subscription) => void): void {
    try {
      call(subscription);
    } catch (error) {
      this.#onViewerFailure(error);
      this.#end(subscription);
    }
  }

  #nextOf({ cursor }: Subscription): LoggedEvent | undefined {
    const last = this.#list.at(-1);
    if (!last || (cursor && compareEventIds(cursor, last.id) >= 0)) return undefined;
    // Nearly every viewer lacks only the last event, which needs no search.
    const before = this.#list.at(-2);
    if (before && cursor && compareEventIds(cursor, before.id) >= 0) return last;
    return nextAfter(this.#list, cursor);
  }

  #end(subscription: Subscription): void {
    if (!this.#subscriptions.delete(subscription)) return;
    try {
      subscription.viewer.end();
    } catch (error) {
      this.#onViewerFailure(error);
    }
  }
}
