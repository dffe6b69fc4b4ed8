/**
 * Time as a port, so that tests decide when it passes. Code that needs only a part of it takes that part, such as
 * `Pick<Clock, 'after'>`. The functions that `after` and `every` return stop the timer, and may be called more than
 * once.
 */
export interface Clock {
  /** Returns a time in milliseconds. Only differences between two times have a meaning. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds, unless it is stopped before. */
  after(ms: number, run: () => void): () => void;
  /** Calls `run` every `ms` milliseconds until it is stopped. */
  every(ms: number, run: () => void): () => void;
}

/**
 * The clock of the system. It is monotonic, so that a corrected wall clock disturbs nothing. Its timers keep no process
 * alive.
 */
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
