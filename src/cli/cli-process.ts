import type { Output } from './render/screen.ts';

/** What a process gives to the command. */
export interface CliProcess {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly timers: Timers;
  readonly interrupts: Interrupts;
}

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

/** Ctrl-C, from wherever it comes: a signal, or a key where the terminal is read key by key. */
export interface Interrupts {
  /** The newest subscriber alone hears of an interrupt, until it calls the returned function. */
  subscribe(listener: () => void): () => void;
  raise(): void;
}

/** `otherwise` hears what nobody has subscribed to. */
export const createInterrupts = (otherwise: () => void): Interrupts => {
  const listeners: (() => void)[] = [];
  return {
    subscribe(listener) {
      listeners.push(listener);
      return () => {
        const at = listeners.lastIndexOf(listener);
        if (at >= 0) listeners.splice(at, 1);
      };
    },
    raise() {
      (listeners.at(-1) ?? otherwise)();
    },
  };
};
