import { isoTime } from '../../src/contracts/values/iso-time.ts';
/** The things that a workflow waits for at this moment, in words, for the stack trace in the Web UI. */
export class OpenWaits {
  readonly #open = new Set<string>();

  /** Waits for `work`; meanwhile `lines` says that it waits for `what`. */
  async for<T>(what: string, work: () => Promise<T>): Promise<T> {
    const line = `waiting for ${what}, since ${isoTime(Date.now())}`;
    this.#open.add(line);
    try {
      return await work();
    } finally {
      this.#open.delete(line);
    }
  }

  /** One line each; a workflow that has ended waits for nothing. */
  lines(): string[] {
    return this.#open.size > 0 ? [...this.#open] : ['waiting for nothing'];
  }
}
