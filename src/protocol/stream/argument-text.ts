import { ObjectScan } from './object-scan.ts';
import { parseArguments } from './tool-arguments.ts';

/**
 * Number of fragments in a row, each beginning with all of the one before, after which a provider counts as resending.
 */
const MIN_RESENDS = 2;

/**
 * Joins the argument fragments of one call. Fragments append exactly (`1`, `1`, `1` is `111`), unless the provider
 * resends what it has sent:
 * - everything so far with each delta: that shows when, from the first fragment on, each begins with the one before
 *   and is longer, twice in a row. No split of a JSON object looks like that;
 * - the finished object once more: two objects in a row never parse, so the same one again says nothing new.
 *
 * All work is linear in what was appended, however small the pieces are: the text is looked at as it comes.
 */
export class ArgumentText {
  #raw = '';
  #scan = new ObjectScan();
  #previous = '';
  #resends = 0;
  #mayResend = true;
  #isObject: boolean | undefined;

  /** The text that was sent, without resends. */
  get text(): string {
    return this.length === this.#raw.length ? this.#raw : this.#raw.slice(0, this.length);
  }

  /** Length of `text` in characters, without making it. */
  get length(): number {
    return this.#scan.isRepeated ? this.#scan.end : this.#raw.length;
  }

  /** True when the text is an object by now; more text may still follow. */
  get looksComplete(): boolean {
    if (!this.#scan.isClosed) return false;
    this.#isObject ??= parseArguments(this.#raw.slice(0, this.#scan.end)) !== undefined;
    return this.#isObject;
  }

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

  /**
   * Ends the text, to which nothing will be appended any longer: an object that was only half resent makes it
   * malformed.
   */
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
