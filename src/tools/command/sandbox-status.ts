import { constants } from 'node:os';

/**
 * Shells and bubblewrap report a program that a signal has ended with an exit code of 128 plus the number of the
 * signal.
 */
const SIGNAL_CODES = 128;

/** The messages of bubblewrap about the program that it runs: lines of JSON, in whatever pieces they come. */
export class SandboxStatus {
  #text = '';

  /** Adds the next bytes that bubblewrap has written. */
  take(bytes: Buffer): void {
    this.#text += bytes.toString();
  }

  /** Id, outside of the sandbox, of the first process in it. Undefined while there is none. */
  get firstProcess(): number | undefined {
    return this.#numberOf('child-pid');
  }

  /** Exit code of the program. Undefined until bubblewrap reports it, which it does not do if it fails or is killed. */
  get exitCode(): number | undefined {
    return this.#numberOf('exit-code');
  }

  /** Name of the signal that has ended the program, judging by its exit code. Undefined if none has. */
  get signal(): string | undefined {
    const number = (this.exitCode ?? 0) - SIGNAL_CODES;
    return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  }

  #numberOf(field: string): number | undefined {
    const text = new RegExp(`"${field}":\\s*(\\d+)`).exec(this.#text)?.[1];
    return text === undefined ? undefined : Number(text);
  }
}
