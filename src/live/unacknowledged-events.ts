import type { LoggedEvent } from '../protocol/event-log/event-log.ts';

/** The events, in the order of their ids, that the workflow has not acknowledged yet. */
export class UnacknowledgedEvents {
  readonly #events: LoggedEvent[] = [];
  readonly #sizes: number[] = [];
  #bytes = 0;

  /** Size of all of them as JSON in a batch, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** All of them, oldest first. */
  get all(): readonly LoggedEvent[] {
    return this.#events;
  }

  /** Adds an event. `bytes` is the size of its JSON in a batch, to which this adds the comma. */
  add(event: LoggedEvent, bytes: number): void {
    const size = bytes + 1;
    this.#events.push(event);
    this.#sizes.push(size);
    this.#bytes += size;
  }

  /** Returns the oldest events that fit into `maxBytes` together. If the first one is larger, it comes by itself. */
  head(maxBytes: number): LoggedEvent[] {
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
