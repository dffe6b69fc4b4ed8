import { bufferOf, moveTo, type EditBuffer } from './edit-buffer.ts';
import { LONG_ENTRY_CHARACTERS, bufferOfEntry } from './history-walk.ts';

/**
 * The effect of a key on a search, which continues or ends with a text. `consumesKey` is true if the key has no
 * other effect.
 */
export type SearchStep = 'continues' | { readonly buffer: EditBuffer; readonly consumesKey: boolean };

/** Looks for text in earlier messages, newest first, as Ctrl-R does in shells. */
export class HistorySearch {
  readonly #entries: readonly string[];
  readonly #before: EditBuffer;
  #query = '';
  #index = -1;

  constructor(entries: readonly string[], before: EditBuffer) {
    this.#entries = entries;
    this.#before = before;
  }

  /** The text before the message during a search, such as `(no match for "deploy") `. */
  get prompt(): string {
    const failed = this.#query !== '' && this.#index < 0 ? 'no ' : '';
    return `(${failed}match for "${this.#query}") `;
  }

  /** The entry that was found, with the cursor where the match is. Without a match, the text from before the search. */
  get match(): EditBuffer {
    const entry = this.#entries[this.#index];
    if (entry === undefined) return this.#before;
    const buffer = bufferOfEntry(entry);
    const at = placeBeforeLowering(entry, entry.toLowerCase().indexOf(this.#query.toLowerCase()));
    return moveTo(buffer, bufferOf(entry.slice(0, Math.min(at, LONG_ENTRY_CHARACTERS))).cursor);
  }

  /** Adds text to what is searched for, and looks from the present match on. A line break counts as a blank. */
  type(text: string): void {
    this.#query += text.replaceAll('\n', ' ');
    this.#findFrom(Math.max(0, this.#index));
  }

  /**
   * Handles a key other than text. Ctrl-R finds an older match, and Backspace removes the last character of what is
   * searched for. Ctrl-C and Ctrl-G end the search with the text from before it, and any other key ends it with the
   * match.
   */
  press(chord: string): SearchStep {
    switch (chord) {
      case 'ctrl-r':
        this.#findFrom(this.#index + 1);
        return 'continues';
      case 'backspace':
        this.#query = bufferOf(this.#query)
          .atoms.slice(0, -1)
          .map(({ text }) => text)
          .join('');
        this.#findFrom(0);
        return 'continues';
      case 'ctrl-c':
      case 'ctrl-g':
        return { buffer: this.#before, consumesKey: true };
      case 'escape':
        return { buffer: this.match, consumesKey: true };
      default:
        return { buffer: this.match, consumesKey: false };
    }
  }

  /** Looks for a match from the index `from` on. If there is none, the last match stays as long as it still matches. */
  #findFrom(from: number): void {
    const query = this.#query.toLowerCase();
    const isMatch = (entry: string): boolean => query !== '' && entry.toLowerCase().includes(query);
    const at = this.#entries.findIndex((entry, i) => i >= from && isMatch(entry));
    const current = this.#entries[this.#index];
    if (at >= 0 || current === undefined || !isMatch(current)) this.#index = at;
  }
}

/**
 * Returns the place in a text that is at `at` in its lower case. The two differ after letters whose lower case is
 * longer, such as “İ”.
 */
const placeBeforeLowering = (text: string, at: number): number => {
  let lowered = 0;
  let place = 0;
  for (const character of text) {
    if (lowered >= at) break;
    lowered += character.toLowerCase().length;
    place += character.length;
  }
  return place;
};
