import { isoTime } from '../../src/contracts/values/iso-time.ts';

/** What a workflow waits for at this moment, in words, for the stack trace in the Web UI. */
export class OpenWaits {
  readonly #open = new Set<string>();

  /** Runs `work` and returns its result. Meanwhile `lines` says that the workflow waits for `what`. */
  async for<T>(what: string, work: () => Promise<T>): Promise<T> {
    const line = `waiting for ${what}, since ${isoTime(Date.now())}`;
    this.#open.add(line);
    try {
      return await work();
    } finally {
      this.#open.delete(line);
    }
  }

  /** Returns one line for each wait, or a single line that says that the workflow waits for nothing. */
  lines(): string[] {
    return this.#open.size > 0 ? [...this.#open] : ['waiting for nothing'];
  }
}
