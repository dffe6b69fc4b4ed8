/**
 * Decides when to write what comes in many small pieces, without a delay of its own.
 *
 * - Pieces of one callback are written together as soon as it has ended.
 * - While the event loop is busy, all pieces of a tick are written together at its end. The loop is busy when several
 *   callbacks of one tick had something to write. One write then has as many pieces as the loop was late by.
 */
export class WriteCoalescer {
  readonly #write: () => void;
  #isAsked = false;
  /** Callbacks of this tick that had something to write. */
  #callbacks = 0;
  /** True when more than one callback of the previous tick had something to write. */
  #isBusy = false;

  /** `write` writes all there is, and may find nothing. It must not throw. */
  constructor(write: () => void) {
    this.#write = write;
  }

  /** Asks for a write. */
  request(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    queueMicrotask(this.#endOfCallback);
  }

  readonly #endOfCallback = (): void => {
    this.#isAsked = false;
    this.#callbacks += 1;
    if (this.#callbacks > 1) return;
    setImmediate(this.#endOfTick);
    if (!this.#isBusy) this.#write();
  };

  readonly #endOfTick = (): void => {
    const isLeft = this.#isBusy || this.#callbacks > 1;
    this.#isBusy = this.#callbacks > 1;
    this.#callbacks = 0;
    if (isLeft) this.#write();
  };
}
