import { bufferOf, EMPTY_BUFFER, insertPaste, type EditBuffer } from './edit-buffer.ts';

/** Characters of an entry, beyond which it comes back as a paste does. */
export const LONG_ENTRY = 2_000;

/** An entry as it comes back to the prompt line. */
export const recalledEntry = (entry: string): EditBuffer =>
  entry.length > LONG_ENTRY ? insertPaste(EMPTY_BUFFER, entry) : bufferOf(entry);

/** Walks through what was sent before, with Up and Down; what was being typed is at the near end. */
export class HistoryWalk {
  readonly #entries: string[];
  /** 0: what is being typed; 1: the newest entry. */
  #at = 0;
  #typed = EMPTY_BUFFER;

  /** `entries`: newest first. */
  constructor(entries: readonly string[]) {
    this.#entries = [...entries];
  }

  get entries(): readonly string[] {
    return this.#entries;
  }

  /** An entry in the place of `buffer`; undefined: there is none. */
  move(buffer: EditBuffer, by: 1 | -1): EditBuffer | undefined {
    const at = this.#at + by;
    if (at < 0 || at > this.#entries.length) return undefined;
    if (this.#at === 0) this.#typed = buffer;
    this.#at = at;
    return at === 0 ? this.#typed : recalledEntry(this.#entries[at - 1] ?? '');
  }

  /** The next walk begins at the near end again. */
  restart(): void {
    this.#at = 0;
  }

  /** Takes in what was sent; the same again moves to the near end. */
  add(text: string): void {
    this.restart();
    const before = this.#entries.indexOf(text);
    if (before >= 0) this.#entries.splice(before, 1);
    this.#entries.unshift(text);
  }
}
