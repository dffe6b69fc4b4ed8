const NUL = '\u0000';
const REPLACEMENT = '\uFFFD';

/**
 * Makes streamed text safe for UTF-8 and Postgres: an emoji whose UTF-16 halves came in two deltas is joined,
 * a half without its other and NUL (which Postgres cannot store) become U+FFFD.
 */
export class WellFormedText {
  #held = '';

  /** The text that is certain so far; a trailing high surrogate waits for its other half. */
  feed(piece: string): string {
    const text = this.#held + piece;
    const waits = endsWithHighSurrogate(text);
    this.#held = waits ? text.slice(-1) : '';
    return mend(waits ? text.slice(0, -1) : text);
  }

  /** What was still held back when no more text came. */
  flush(): string {
    const rest = mend(this.#held);
    this.#held = '';
    return rest;
  }
}

const endsWithHighSurrogate = (text: string): boolean => {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
};

const mend = (text: string): string => text.toWellFormed().replaceAll(NUL, REPLACEMENT);
