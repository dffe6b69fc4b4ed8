import { constants } from 'node:os';

/** Exit code, less the signal's number, of a program that was ended by a signal, as shells tell it. */
const SIGNAL_CODES = 128;

/** The messages of bubblewrap about the program that it runs: lines of JSON, in whatever pieces they come. */
export class SandboxStatus {
  #text = '';

  take(bytes: Buffer): void {
    this.#text += bytes.toString();
  }

  /** Id, seen from here, of the first process within. Undefined while there is none. */
  get firstProcess(): number | undefined {
    return this.#numberOf('child-pid');
  }

  /** Exit code of the program. Undefined while it runs, and where it was not let end. */
  get exitCode(): number | undefined {
    return this.#numberOf('exit-code');
  }

  /** The signal that has ended the program. Undefined if none has. */
  get signal(): string | undefined {
    const number = (this.exitCode ?? 0) - SIGNAL_CODES;
    return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  }

  #numberOf(field: string): number | undefined {
    const text = new RegExp(`"${field}":\\s*(\\d+)`).exec(this.#text)?.[1];
    return text === undefined ? undefined : Number(text);
  }
}
