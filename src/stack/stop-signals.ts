import type { EventEmitter } from 'node:events';

/** What is used of a stream that may be a terminal. */
interface Output {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

/**
 * Resolves at the first signal that asks a process to stop. `signals` is the process, and `output` its stdout. At
 * Ctrl-C, a terminal shows `^C` without an end of line, so this ends the line.
 */
export const waitForStopSignal = (signals: EventEmitter, output: Output): Promise<'stopped'> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGHUP']) signals.on(signal, () => resolve('stopped'));
    // npm passes the signal on, so one Ctrl-C may come twice.
    signals.once('SIGINT', () => output.isTTY === true && output.write('\n'));
    signals.on('SIGINT', () => resolve('stopped'));
  });
