/** Time in milliseconds that a connection must have lasted, so that its loss does not count as a failed try. */
export const STABLE_CONNECTION_MS = 1_000;

/**
 * Computes the pauses between tries, in milliseconds. Each is twice as long as the one before, up to the longest.
 */
export class Backoff {
  readonly #first: number;
  readonly #longest: number;
  #taken = 0;

  constructor(first: number, longest: number) {
    this.#first = first;
    this.#longest = longest;
  }

  /** True when no pause has been taken since the beginning or the last `reset`. */
  get isFirst(): boolean {
    return this.#taken === 0;
  }

  /** Takes the next pause, and returns its length in milliseconds. */
  nextPause(): number {
    const pause = Math.min(this.#first * 2 ** this.#taken, this.#longest);
    this.#taken += 1;
    return pause;
  }

  /** Notes that a try has succeeded. The next pause is the first one again. */
  reset(): void {
    this.#taken = 0;
  }
}
