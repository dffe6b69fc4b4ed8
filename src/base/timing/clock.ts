/**
 * Time as a port, so that tests decide when it passes. Code that needs only a part of it takes that part, such as
 * `Pick<Clock, 'after'>`. The returned functions stop the timer, and may be called again.
 */
export interface Clock {
  /** Returns milliseconds; only differences matter. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds. */
  after(ms: number, run: () => void): () => void;
  /** Calls `run` again and again, every `ms` milliseconds. */
  every(ms: number, run: () => void): () => void;
}

/** Monotonic, so that a corrected wall clock disturbs nothing. Its timers keep no process alive. */
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
