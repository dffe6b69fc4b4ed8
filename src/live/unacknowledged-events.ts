import type { StoredEvent } from '../protocol/event-log/event-log.ts';

/** JSON bytes of one event as it stands in a batch, where a text chunk of the model is a plain string. */
function bytesOf({ event }: StoredEvent): number {
  const form = event.type === 'chunk' && event.notice === undefined ? event.content : event;
  return Buffer.byteLength(JSON.stringify(form)) + 1;
}

/** Events in the order of their ids that the workflow has not acknowledged yet. */
export class UnacknowledgedEvents {
  readonly #events: StoredEvent[] = [];
  readonly #sizes: number[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get all(): readonly StoredEvent[] {
    return this.#events;
  }

  add(event: StoredEvent): void {
    const size = bytesOf(event);
    this.#events.push(event);
    this.#sizes.push(size);
    this.#bytes += size;
  }

  /** The oldest events that fit in `maxBytes`; an event larger than that comes alone. */
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
