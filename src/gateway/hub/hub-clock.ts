/** Time as the hub needs it; tests turn it by hand. */
export interface HubClock {
  /** Milliseconds; only differences matter. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
}

/** Monotonic, so that a corrected wall clock stops no poll. Its timers keep no process alive. */
export const systemClock: HubClock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};
