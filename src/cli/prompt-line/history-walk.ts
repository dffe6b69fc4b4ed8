import { bufferOf, EMPTY_BUFFER, insertPaste, type EditBuffer } from './edit-buffer.ts';

/** Number of characters above which an entry comes back to the prompt line as a paste does. */
export const LONG_ENTRY_CHARACTERS = 2_000;

/**
 * Returns an entry as it comes back to the prompt line. An entry longer than `LONG_ENTRY_CHARACTERS` is shown like a
 * paste.
 */
export const bufferOfEntry = (entry: string): EditBuffer =>
  entry.length > LONG_ENTRY_CHARACTERS ? insertPaste(EMPTY_BUFFER, entry) : bufferOf(entry);

/** Walks through earlier messages with Up and Down. The walk begins at the text that was being typed. */
export class HistoryWalk {
  readonly #entries: string[];
  /** The position in the history: 0 is the text being typed, 1 the newest entry. */
  #index = 0;
  #typed = EMPTY_BUFFER;

  /** `entries` come newest first. */
  constructor(entries: readonly string[]) {
    this.#entries = [...entries];
  }

  /** All entries, newest first. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  /**
   * Returns the entry to show in place of `buffer`: the next older one (1) or the next newer one (-1). Returns
   * undefined when there is none.
   */
  move(buffer: EditBuffer, by: 1 | -1): EditBuffer | undefined {
    const at = this.#index + by;
    if (at < 0 || at > this.#entries.length) return undefined;
    if (this.#index === 0) this.#typed = buffer;
    this.#index = at;
    return at === 0 ? this.#typed : bufferOfEntry(this.#entries[at - 1] ?? '');
  }

  /** Ends the walk, so that the next one begins at the text that is being typed. */
  restart(): void {
    this.#index = 0;
  }

  /**
   * Adds a sent message as the newest entry, and ends the walk. A message that the history has already only moves
   * there.
   */
  add(text: string): void {
    this.restart();
    const before = this.#entries.indexOf(text);
    if (before >= 0) this.#entries.splice(before, 1);
    this.#entries.unshift(text);
  }
}
