/** Milliseconds that a connection must have been kept for its loss to be no failed try. */
export const STABLE_CONNECTION_MS = 1_000;

/** Pauses between tries, in milliseconds: each is twice as long as the one before, up to the longest. */
export class Backoff {
  readonly #first: number;
  readonly #longest: number;
  #taken = 0;

  constructor(first: number, longest: number) {
    this.#first = first;
    this.#longest = longest;
  }

  /** True when no pause has been taken since the last success. */
  get isFirst(): boolean {
    return this.#taken === 0;
  }

  /** Takes the next pause. */
  nextPause(): number {
    const pause = Math.min(this.#first * 2 ** this.#taken, this.#longest);
    this.#taken += 1;
    return pause;
  }

  /** A try has succeeded: pauses begin again with the first. */
  reset(): void {
    this.#taken = 0;
  }
}
