/**
 * The text to write next. `restart` withdraws what was shown after the first `keptLength` characters, and `text`
 * replaces it.
 */
export type TextChange =
  | { readonly kind: 'more'; readonly text: string }
  | { readonly kind: 'restart'; readonly keptLength: number; readonly text: string };

/**
 * Follows a stream of text that can be withdrawn, to write only what the reader does not have yet. After a reset, the
 * repeated model call mostly says the same again, and that much has been written already.
 */
export class PrintedText {
  #printed = '';
  /** Number of characters of `#printed` that are not withdrawn; the others may come again. */
  #validLength = 0;
  /** Number of characters that the last `withdraw` has left. */
  #keptLength = 0;

  /** Number of shown characters that were withdrawn and have not come again. */
  get withdrawnLength(): number {
    return this.#printed.length - this.#validLength;
  }

  /** Number of characters shown, including withdrawn ones. */
  get length(): number {
    return this.#printed.length;
  }

  /**
   * Forgets the withdrawn characters, as if they had never been shown. Returns the remaining text from the character
   * `from` on.
   */
  dropWithdrawn(from: number): string {
    this.#printed = this.#printed.slice(0, this.#validLength);
    return this.#printed.slice(from);
  }

  /** Adds text and returns what to write. Text that repeats withdrawn characters is on the screen already. */
  push(chunk: string): TextChange {
    const repeated = this.#printed.slice(this.#validLength, this.#validLength + chunk.length);
    if (!chunk.startsWith(repeated)) return this.#restart(chunk);
    const text = chunk.slice(repeated.length);
    this.#printed += text;
    this.#validLength += chunk.length;
    return { kind: 'more', text };
  }

  /** Takes back all but the first `keptLength` characters. */
  withdraw(keptLength: number): void {
    this.#validLength = Math.min(keptLength, this.#validLength);
    this.#keptLength = this.#validLength;
  }

  #restart(chunk: string): TextChange {
    this.#printed = this.#printed.slice(0, this.#validLength) + chunk;
    this.#validLength = this.#printed.length;
    return { kind: 'restart', keptLength: this.#keptLength, text: this.#printed.slice(this.#keptLength) };
  }
}
