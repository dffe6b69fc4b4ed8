import { systemClock, type Clock } from '../../base/timing/clock.ts';
import type { OutputStream } from '../render/output.ts';

/** The parts of its process that the `orion` command uses: terminal, time and Ctrl-C. Tests bring their own. */
export interface CliProcess {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly timers: Timers;
  readonly interrupts: Interrupts;
}

/** Time as the command sees it; tests drive it by hand. */
export interface Timers extends Clock {
  /** Sleeps; keeps the process alive, unlike the other timers. */
  sleep(ms: number): Promise<void>;
}

/** `Timers` over the clock of this process. */
export const systemTimers: Timers = {
  ...systemClock,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** Ctrl-C, wherever it comes from: a signal, or a key where the terminal is read key by key. */
export interface Interrupts {
  /** Adds a listener. Only the newest one hears of an interrupt, until it calls the returned function. */
  subscribe(listener: () => void): () => void;
  raise(): void;
}

/**
 * Creates the interrupts of this process. Only the newest subscriber gets each one. Without a subscriber, `otherwise`
 * is called.
 */
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
