import { fstatSync } from 'node:fs';
import { systemClock, type Clock } from '../../base/timing/clock.ts';
import type { OutputStream } from '../render/output.ts';

/** The parts of the process that the `orion` command uses: terminal, time and Ctrl-C. Tests bring their own. */
export interface CliProcess {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** True when stdout and stderr are the same file or pipe (`2>&1`). Absent means false. */
  readonly sharesOneFile?: boolean;
  readonly timers: Timers;
  readonly interrupts: Interrupts;
}

/** Time as the command sees it; tests drive it by hand. */
export interface Timers extends Clock {
  /** Resolves after `ms` milliseconds. Unlike the other timers, it keeps the process alive. */
  sleep(ms: number): Promise<void>;
}

/** Timers that run on the real clock of this process. */
export const systemTimers: Timers = {
  ...systemClock,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** Reports whether two file descriptors of this process are the same file, pipe or terminal. */
export const isOneOpenFile = (first: number, second: number): boolean => {
  const [a, b] = [first, second].map((descriptor) => fstatSync(descriptor, { bigint: true }));
  return a?.dev === b?.dev && a?.ino === b?.ino;
};

/** Ctrl-C, wherever it comes from: a signal, or a key where the terminal is read key by key. */
export interface Interrupts {
  /**
   * Adds a listener. Only the newest listener is called on an interrupt. The returned function removes the listener.
   */
  subscribe(listener: () => void): () => void;
  /** Delivers an interrupt. */
  raise(): void;
}

/** Creates the interrupts of this process. An interrupt that comes while nobody has subscribed calls `fallback`. */
export const createInterrupts = (fallback: () => void): Interrupts => {
  const listeners: (() => void)[] = [];
  return {
    subscribe(listener) {
      listeners.push(listener);
      return () => {
        const index = listeners.lastIndexOf(listener);
        if (index >= 0) listeners.splice(index, 1);
      };
    },
    raise() {
      (listeners.at(-1) ?? fallback)();
    },
  };
};
