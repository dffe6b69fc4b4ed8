import { CHARACTERS_PER_TOKEN } from '../../contracts/model/model-message.ts';
import { wholeLength } from '../../contracts/values/safe-text.ts';

/**
 * Counts the output of a model call against the tokens that it may have. Output is text, reasoning and calls; it is
 * counted in UTF-16 units.
 */
export class OutputBudget {
  readonly #maxCharacters: number;
  #characters = 0;
  #isExceeded = false;

  /** `tokens` may be Infinity. */
  constructor(tokens: number) {
    this.#maxCharacters = tokens * CHARACTERS_PER_TOKEN;
  }

  /** Number of characters so far that the budget has allowed. */
  get characters(): number {
    return this.#characters;
  }

  /** True once there was more output than the budget allows. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  /** Counts characters, as far as the budget allows them. Returns how many these are. */
  spend(characters: number): number {
    const left = Math.max(0, this.#maxCharacters - this.#characters);
    const allowed = Math.min(characters, left);
    this.#isExceeded ||= characters > left;
    this.#characters += allowed;
    return allowed;
  }

  /** Counts a piece of output. Returns the part of it that the budget allows, without half a character at its end. */
  take(output: string): string {
    const allowed = this.spend(output.length);
    return allowed === output.length ? output : output.slice(0, wholeLength(output.slice(0, allowed)));
  }
}
