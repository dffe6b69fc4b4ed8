import { safeText } from '../../contracts/safe-text.ts';

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Length of `text` without the first half of a character whose second half may still come. */
export const wholeLength = (text: string): number =>
  isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;

/** Makes a stream of fragments safe, wherever the provider cut it: a split emoji must come out whole. */
export class SafeTextStream {
  #half = '';

  /** What can be shown now that `fragment` has arrived; may be empty. */
  push(fragment: string): string {
    const text = this.#half + fragment;
    const whole = wholeLength(text);
    this.#half = text.slice(whole);
    return safeText(text.slice(0, whole));
  }

  /** What is left at the end: U+FFFD for half a character, else nothing. */
  flush(): string {
    const rest = safeText(this.#half);
    this.#half = '';
    return rest;
  }
}
