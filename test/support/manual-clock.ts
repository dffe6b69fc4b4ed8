import type { Clock } from '../../src/base/timing/clock.ts';

interface Pending {
  at: number;
  /** The interval in milliseconds of a timer that repeats; absent for one that runs once. */
  readonly every?: number;
  readonly run: () => void;
}

/** Resolves once everything that waits only for promises has happened. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A clock whose time passes only when the test says so. */
export class ManualClock implements Clock {
  /** The number of timers started so far that run once. */
  started = 0;
  #now: number;
  readonly #pending = new Set<Pending>();

  constructor(start = 0) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.started += 1;
    this.#pending.add(timer);
    return () => this.#pending.delete(timer);
  }

  every(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, every: ms, run };
    this.#pending.add(timer);
    return () => this.#pending.delete(timer);
  }

  get timers(): number {
    return this.#pending.size;
  }

  /** Moves the clock forward by `ms` at once; timers that fall due meanwhile run when time next passes. */
  skip(ms: number): void {
    this.#now += ms;
  }

  /** Lets `ms` milliseconds pass. Runs the timers that fall due meanwhile, in order, and everything that they cause. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settled();
    for (let next = this.#earliest(until); next; next = this.#earliest(until)) {
      this.#now = Math.max(this.#now, next.at);
      if (next.every === undefined) this.#pending.delete(next);
      else next.at += next.every;
      next.run();
      await settled();
    }
    this.#now = until;
  }

  #earliest(until: number): Pending | undefined {
    const due = [...this.#pending].filter(({ at }) => at <= until);
    return due.sort((a, b) => a.at - b.at)[0];
  }
}
