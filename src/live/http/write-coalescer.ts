/**
 * Decides when to write what comes in many small pieces, without a delay of its own.
 *
 * - Pieces of one callback are written together as soon as it has ended.
 * - While the event loop is busy, all pieces of a tick are written together at its end. The loop is busy when several
 *   callbacks of one tick had something to write. The longer a tick lasts, the more pieces one write then has.
 */
export class WriteCoalescer {
  readonly #write: () => void;
  #isRequested = false;
  /** Number of callbacks of this tick that had something to write. */
  #callbacks = 0;
  /** True when more than one callback of the previous tick had something to write. */
  #isBusy = false;

  /** `write` must write everything that there is to write, which may be nothing. It must not throw. */
  constructor(write: () => void) {
    this.#write = write;
  }

  /** Asks for a write. It follows when the running callback has ended, or the tick while the event loop is busy. */
  request(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    queueMicrotask(this.#endOfCallback);
  }

  readonly #endOfCallback = (): void => {
    this.#isRequested = false;
    this.#callbacks += 1;
    if (this.#callbacks > 1) return;
    setImmediate(this.#endOfTick);
    if (!this.#isBusy) this.#write();
  };

  readonly #endOfTick = (): void => {
    // If the loop was not busy, the first callback has already written, and only later ones have left something.
    const hasMore = this.#isBusy || this.#callbacks > 1;
    this.#isBusy = this.#callbacks > 1;
    this.#callbacks = 0;
    if (hasMore) this.#write();
  };
}
