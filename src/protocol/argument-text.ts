/** Fragments in a row, each beginning with all of the one before, after which a provider counts as resending. */
const RESENDS_THAT_PROVE = 2;

/**
 * Joins the argument fragments of one call (protocol.md "Merging"). Fragments append exactly (`1`, `1`, `1` is
 * `111`), unless the provider resends everything so far with each delta: that shows when, from the first fragment
 * on, each begins with the one before and is longer, twice in a row. No split of a JSON object looks like that.
 */
export class ArgumentText {
  #text = '';
  #previous = '';
  #resends = 0;
  #mayResend = true;

  get text(): string {
    return this.#text;
  }

  append(fragment: string): void {
    if (fragment === '') return;
    if (this.#resends >= RESENDS_THAT_PROVE && fragment.startsWith(this.#text)) {
      this.#text = fragment;
      return;
    }
    this.#text = this.#isThirdResend(fragment) ? fragment : this.#text + fragment;
    this.#previous = fragment;
  }

  #isThirdResend(fragment: string): boolean {
    if (!this.#mayResend || this.#previous === '') return false;
    this.#mayResend = fragment.length > this.#previous.length && fragment.startsWith(this.#previous);
    if (this.#mayResend) this.#resends += 1;
    else this.#resends = 0;
    return this.#resends === RESENDS_THAT_PROVE;
  }
}
