import type { LaneLimits } from './lane-limits.ts';

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
