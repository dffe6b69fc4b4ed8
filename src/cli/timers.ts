/** Time as the command sees it; tests drive it by hand. */
export interface Timers {
  /** Runs once after `ms` unless the returned function is called first. Never keeps the process alive. */
  after(ms: number, run: () => void): () => void;
  every(ms: number, run: () => void): () => void;
  sleep(ms: number): Promise<void>;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
}

export const systemTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  now: () => performance.now(),
};
