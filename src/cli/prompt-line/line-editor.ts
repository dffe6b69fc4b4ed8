import { applyKey } from './edit-keys.ts';
import {
  bufferOf,
  EMPTY_BUFFER,
  moveByLine,
  insertPaste,
  replaceRange,
  displayTextOfBuffer,
  textOfBuffer,
  type BufferAtom,
  type EditBuffer,
} from './edit-buffer.ts';
import { HistorySearch } from './history-search.ts';
import { HistoryWalk } from './history-walk.ts';
import type { KeyPress } from './keys.ts';
import { graphemesOf } from '../render/text-width.ts';

/** Completions of a text. `replaces` is the end of the text that a candidate would replace. */
export interface Completion {
  readonly replaces: string;
  readonly candidates: readonly string[];
}

export interface LineEditorOptions {
  /** The lines that were sent before, newest first. */
  readonly history: readonly string[];
  /** Returns completions for the text before the cursor. */
  readonly complete: (before: string) => Completion;
}

/**
 * The result of a key.
 *
 * - `edited`: the key changed the text or the cursor, or had no effect.
 * - `cleared`: Ctrl-C removed what was typed.
 * - `interrupt`: Ctrl-C was pressed with nothing typed.
 * - `eof`: Ctrl-D was pressed with nothing typed.
 * - `suspend`: Ctrl-Z was pressed.
 * - `redraw`: Ctrl-L was pressed.
 */
export type KeyOutcome =
  | { readonly kind: 'edited' | 'cleared' | 'interrupt' | 'eof' | 'suspend' | 'redraw' }
  /** `displayText` is the text as it was on the screen, with pastes as their sizes. */
  | { readonly kind: 'sent'; readonly text: string; readonly displayText: string };

const EDITED = { kind: 'edited' } as const;

/** Maximum number of lines in which completions are listed. */
const MAX_HINTS = 8;

/**
 * Edits a message while it is typed: takes keys, and returns what they do. It knows no terminal. Enter sends; Ctrl-J,
 * Alt-Enter, Shift-Enter and a backslash before Enter begin a line (docs/cli.md "The prompt line").
 */
export class LineEditor {
  readonly #complete: LineEditorOptions['complete'];
  readonly #walk: HistoryWalk;
  #buffer = EMPTY_BUFFER;
  #cut: readonly BufferAtom[] = [];
  #search: HistorySearch | undefined;
  #hints: readonly string[] = [];

  constructor({ history, complete }: LineEditorOptions) {
    this.#complete = complete;
    this.#walk = new HistoryWalk(history);
  }

  /**
   * What the prompt line shows: the text that is typed so far or, during a search, the match. `prompt` is the prompt of
   * the search, absent without a search.
   */
  get view(): { readonly prompt?: string; readonly buffer: EditBuffer; readonly hints: readonly string[] } {
    if (this.#search) return { prompt: this.#search.prompt, buffer: this.#search.match, hints: [] };
    return { buffer: this.#buffer, hints: this.#hints };
  }

  get #isEmpty(): boolean {
    return this.#buffer.atoms.length === 0;
  }

  /** Returns a sent message to the line, before what has been typed since. A long one is shown like a paste. */
  putBack(text: string): void {
    const typed = textOfBuffer(this.#buffer);
    this.#buffer = insertPaste(EMPTY_BUFFER, typed === '' ? text : `${text}\n${typed}`);
  }

  /** Sets the text, as if a person had typed it. */
  setText(text: string): void {
    this.#buffer = bufferOf(text);
  }

  /**
   * Applies a key or typed text, and returns what it did. Completions that were shown are no longer shown afterwards.
   */
  press(key: KeyPress): KeyOutcome {
    this.#hints = [];
    if (this.#search) return this.#pressInSearch(this.#search, key);
    if (key.kind === 'chord') return this.#pressChord(key.chord);
    // `insertPaste` takes a long text for a paste. Nobody types that much at once, so the terminal does not mark its
    // pastes.
    this.#buffer = insertPaste(this.#buffer, key.text);
    return EDITED;
  }

  #pressInSearch(search: HistorySearch, key: KeyPress): KeyOutcome {
    if (key.kind !== 'chord') {
      search.type(key.text);
      return EDITED;
    }
    const step = search.press(key.chord);
    if (step === 'continues') return EDITED;
    this.#search = undefined;
    this.#buffer = step.buffer;
    return step.consumesKey ? EDITED : this.#pressChord(key.chord);
  }

  #pressChord(chord: string): KeyOutcome {
    switch (chord) {
      case 'enter':
        return this.#enter();
      case 'ctrl-c':
        return this.#interrupt();
      case 'ctrl-d':
        return this.#isEmpty ? { kind: 'eof' } : this.#edit(chord);
      case 'ctrl-z':
        return { kind: 'suspend' };
      case 'ctrl-l':
        return { kind: 'redraw' };
      case 'ctrl-r':
        this.#search = new HistorySearch(this.#walk.entries, this.#buffer);
        return EDITED;
      case 'tab':
        return this.#completeAtCursor();
      case 'up':
      case 'ctrl-p':
        this.#buffer = moveByLine(this.#buffer, -1) ?? this.#walk.move(this.#buffer, 1) ?? this.#buffer;
        return EDITED;
      case 'down':
      case 'ctrl-n':
        this.#buffer = moveByLine(this.#buffer, 1) ?? this.#walk.move(this.#buffer, -1) ?? this.#buffer;
        return EDITED;
      default:
        return this.#edit(chord);
    }
  }

  #edit(chord: string): KeyOutcome {
    const edit = applyKey(this.#buffer, chord, this.#cut);
    this.#buffer = edit?.buffer ?? this.#buffer;
    this.#cut = edit?.cut ?? this.#cut;
    return EDITED;
  }

  #interrupt(): KeyOutcome {
    const wasEmpty = this.#isEmpty;
    this.#buffer = EMPTY_BUFFER;
    this.#walk.restart();
    return { kind: wasEmpty ? 'interrupt' : 'cleared' };
  }

  #enter(): KeyOutcome {
    const { atoms, cursor } = this.#buffer;
    const before = atoms[cursor - 1];
    if (before?.text === '\\' && before.label === undefined) {
      this.#buffer = replaceRange(this.#buffer, cursor - 1, cursor, [{ text: '\n' }]);
      return EDITED;
    }
    const text = textOfBuffer(this.#buffer);
    const displayText = displayTextOfBuffer(this.#buffer);
    this.#buffer = EMPTY_BUFFER;
    this.#walk.restart();
    if (text.trim() !== '') this.#walk.add(text);
    return { kind: 'sent', text, displayText };
  }

  #completeAtCursor(): KeyOutcome {
    const { atoms, cursor } = this.#buffer;
    const { replaces, candidates } = this.#complete(textOfBuffer({ atoms: atoms.slice(0, cursor), cursor }));
    const [only] = candidates;
    if (only === undefined) return EDITED;
    const common = candidates.reduce(commonStart);
    // A completed word gets a blank after it. After a folder, the path may go on.
    const isWhole = candidates.length === 1 && !common.endsWith('/');
    const insert = graphemesOf(isWhole ? `${common} ` : common).map((text) => ({ text }));
    const from = cursor - graphemesOf(replaces).length;
    if (common.length >= replaces.length) this.#buffer = replaceRange(this.#buffer, from, cursor, insert);
    if (candidates.length > 1) this.#hints = hintsOf(candidates);
    return EDITED;
  }
}

const commonStart = (a: string, b: string): string => {
  let end = 0;
  while (end < a.length && a[end] === b[end]) end += 1;
  // Half of a surrogate pair at the end is left out.
  return a.slice(0, end).replace(/[\uD800-\uDBFF]$/, '');
};

const hintsOf = (candidates: readonly string[]): readonly string[] =>
  candidates.length <= MAX_HINTS
    ? candidates
    : [...candidates.slice(0, MAX_HINTS - 1), `… and ${candidates.length - MAX_HINTS + 1} more`];
