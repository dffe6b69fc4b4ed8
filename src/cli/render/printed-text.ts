/**
 * The text to write next. `restart`: the text that the reader saw last is withdrawn; `text` begins after its first
 * `kept` characters.
 */
export type TextChange =
  | { readonly kind: 'more'; readonly text: string }
  | { readonly kind: 'restart'; readonly kept: number; readonly text: string };

/**
 * Keeps a stream of text that can be withdrawn from being shown twice: after a reset the repeated model call
 * mostly says the same again, and that much is already on the reader's screen.
 */
export class PrintedText {
  #printed = '';
  /** Characters of `#printed` that still stand; the rest was withdrawn and may come again. */
  #valid = 0;
  #kept = 0;

  /** Characters shown that were withdrawn and have not come again. */
  get withdrawn(): number {
    return this.#printed.length - this.#valid;
  }

  /** Number of characters shown, including withdrawn ones. */
  get length(): number {
    return this.#printed.length;
  }

  /**
   * Returns the text from the character `from` on that was not withdrawn. The withdrawn rest counts as gone from now
   * on.
   */
  standing(from: number): string {
    this.#printed = this.#printed.slice(0, this.#valid);
    return this.#printed.slice(from);
  }

  take(chunk: string): TextChange {
    const known = this.#printed.slice(this.#valid, this.#valid + chunk.length);
    if (!chunk.startsWith(known)) return this.#restart(chunk);
    const text = chunk.slice(known.length);
    this.#printed += text;
    this.#valid += chunk.length;
    return { kind: 'more', text };
  }

  /** Takes back all but the first `kept` characters. */
  withdraw(kept: number): void {
    this.#valid = Math.min(kept, this.#valid);
    this.#kept = this.#valid;
  }

  #restart(chunk: string): TextChange {
    this.#printed = this.#printed.slice(0, this.#valid) + chunk;
    this.#valid = this.#printed.length;
    return { kind: 'restart', kept: this.#kept, text: this.#printed.slice(this.#kept) };
  }
}
