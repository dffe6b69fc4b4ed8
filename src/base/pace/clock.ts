/**
 * Time as a port, so that tests decide when it passes. Whoever needs a part of it takes that part:
 * `Pick<Clock, 'after'>`. The returned functions stop the timer, and may be called again.
 */
export interface Clock {
  /** Milliseconds; only differences matter. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds. */
  after(ms: number, run: () => void): () => void;
  /** Calls `run` again and again, every `ms` milliseconds. */
  every(ms: number, run: () => void): () => void;
}

/** Monotonic, so that a corrected wall clock stops nothing. Its timers keep no process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
};
