import { ObjectScan } from './object-scan.ts';
import { parseArguments } from './tool-arguments.ts';

/**
 * After this many fragments in a row that each begin with the whole fragment before, a provider counts as one that
 * sends everything again with each delta.
 */
const MIN_RESENDS = 2;

/**
 * Joins the argument fragments of one call. Fragments are appended as they are (`1`, `1`, `1` is `111`), except in two
 * cases, in which the provider sends again what it has sent before:
 *
 * - With each delta it sends everything so far. This is recognised if, from the first fragment on, each one begins with
 *   the one before and is longer, twice in a row. No split of a JSON object looks like that.
 * - It sends the finished object once more. Two objects in a row never parse, so the second one is ignored if it is the
 *   same.
 *
 * Each character is looked at as it comes, so the time is linear in the text, however small the fragments are.
 */
export class ArgumentText {
  #raw = '';
  #scan = new ObjectScan();
  #previous = '';
  #resends = 0;
  #mayResend = true;
  #isObject: boolean | undefined;

  /** The arguments so far, without what was sent again. */
  get text(): string {
    return this.length === this.#raw.length ? this.#raw : this.#raw.slice(0, this.length);
  }

  /** Length of `text` in characters, without making it. */
  get length(): number {
    return this.#scan.isRepeated ? this.#scan.end : this.#raw.length;
  }

  /** True when the text is an object by now; more text may still follow. */
  get isObject(): boolean {
    if (!this.#scan.isClosed) return false;
    this.#isObject ??= parseArguments(this.#raw.slice(0, this.#scan.end)) !== undefined;
    return this.#isObject;
  }

  /** Adds the next fragment as the provider sent it. */
  append(fragment: string): void {
    if (fragment === '') return;
    if (this.#resends >= MIN_RESENDS && fragment.startsWith(this.#raw)) {
      this.#add(fragment.slice(this.#raw.length));
      return;
    }
    if (this.#isThirdResend(fragment)) this.#startAgain();
    this.#add(fragment);
    this.#previous = fragment;
  }

  /** Ends the text. If an object was being sent once more and is not complete, the text is malformed. */
  close(): void {
    this.#scan.close();
  }

  #startAgain(): void {
    this.#raw = '';
    this.#scan = new ObjectScan();
    this.#isObject = undefined;
  }

  #add(fragment: string): void {
    const before = this.#raw;
    this.#raw += fragment;
    this.#scan.read(fragment, (start, end) => (before + fragment).slice(start, end));
  }

  #isThirdResend(fragment: string): boolean {
    if (!this.#mayResend || this.#previous === '') return false;
    this.#mayResend = fragment.length > this.#previous.length && fragment.startsWith(this.#previous);
    if (this.#mayResend) this.#resends += 1;
    else this.#resends = 0;
    return this.#resends === MIN_RESENDS;
  }
}
