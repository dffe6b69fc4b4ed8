import type { Timers } from '../../src/gateway/timers.ts';

/** Timers that fire when the test says so. */
export class ManualTimers implements Timers {
  readonly #repeating = new Set<{ ms: number; run: () => void }>();
  readonly #single = new Set<{ ms: number; run: () => void }>();

  every(ms: number, run: () => void): () => void {
    return add(this.#repeating, { ms, run });
  }

  after(ms: number, run: () => void): () => void {
    return add(this.#single, { ms, run });
  }

  get running(): number {
    return this.#repeating.size + this.#single.size;
  }

  /** Lets `ms` pass at once: what repeats fires once for each of its periods. */
  pass(ms: number): void {
    for (const timer of this.#repeating) {
      for (let at = timer.ms; at <= ms; at += timer.ms) timer.run();
    }
    for (const timer of this.#single) {
      if (timer.ms > ms) continue;
      this.#single.delete(timer);
      timer.run();
    }
  }
}

const add = <T>(timers: Set<T>, timer: T): (() => void) => {
  timers.add(timer);
  return () => timers.delete(timer);
};
