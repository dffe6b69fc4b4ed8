/** A port, so that tests decide when time passes. The returned functions stop the timer. */
export interface Timers {
  every(ms: number, run: () => void): () => void;
  after(ms: number, run: () => void): () => void;
}

/** None of these keeps the process alive: a stream that is left to its heartbeats must not. */
export const systemTimers: Timers = {
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};
