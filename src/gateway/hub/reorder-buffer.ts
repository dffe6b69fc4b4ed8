import { compareEventIds } from '../../contracts/wire/event-id.ts';
import type { LoggedEvent } from '../../protocol/event-log/event-log.ts';

/**
 * Largest number of events that wait. A lane delivers far fewer while one query is answered. Further events are dropped
 * here, and read from the durable log.
 */
const MAX_EARLY_EVENTS = 4_096;

/**
 * Events that arrived before their predecessors, in the order of their ids. Dropping them would be correct, since the
 * durable log has them, too. But when a query for the missing events is answered, the lane is ahead again: the hub
 * would query again and again, and its viewers would always lag behind the lane.
 */
export class ReorderBuffer {
  #events: LoggedEvent[] = [];

  /** Number of events that wait. */
  get size(): number {
    return this.#events.length;
  }

  /** Keeps an event until `retry`, unless it is kept already or `MAX_EARLY_EVENTS` are. */
  add(event: LoggedEvent): void {
    if (this.#events.length >= MAX_EARLY_EVENTS) return;
    const index = this.#events.findLastIndex(({ id }) => compareEventIds(id, event.id) <= 0);
    const before = this.#events[index];
    if (before && compareEventIds(before.id, event.id) === 0) return;
    this.#events.splice(index + 1, 0, event);
  }

  /** Offers every event to `accept` again, and keeps those whose predecessor is still missing. */
  retry(accept: (event: LoggedEvent) => 'accepted' | 'stale' | 'gap'): void {
    if (this.#events.length > 0) this.#events = this.#events.filter((event) => accept(event) === 'gap');
  }
}
