import {
  spacedWordStartBefore,
  lineEnd,
  lineStart,
  moveTo,
  replaceRange,
  transposeAtoms,
  insertTyped,
  wordEndAfter,
  wordStartBefore,
  type BufferAtom,
  type EditBuffer,
} from './edit-buffer.ts';

/**
 * The effect of a key on the text: the new text, and the part that was cut out, which Ctrl-Y puts back. `cut` is absent
 * if the key has cut out nothing for Ctrl-Y.
 */
export interface KeyEdit {
  readonly buffer: EditBuffer;
  readonly cut?: readonly BufferAtom[];
}

type CursorMove = (buffer: EditBuffer) => number;

const left: CursorMove = ({ cursor }) => cursor - 1;
const right: CursorMove = ({ cursor }) => cursor + 1;
const toStart: CursorMove = (buffer) => lineStart(buffer, buffer.cursor);
const toEnd: CursorMove = (buffer) => lineEnd(buffer, buffer.cursor);
/**
 * Returns the end of the line. If the cursor is there already, returns the place after the line break, which Ctrl-K
 * then deletes.
 */
const throughEnd: CursorMove = (buffer) => {
  const end = toEnd(buffer);
  return end === buffer.cursor ? end + 1 : end;
};

const MOVES: Readonly<Record<string, CursorMove>> = {
  left,
  right,
  home: toStart,
  end: toEnd,
  'ctrl-a': toStart,
  'ctrl-b': left,
  'ctrl-e': toEnd,
  'ctrl-f': right,
  'alt-b': wordStartBefore,
  'alt-f': wordEndAfter,
  'alt-left': wordStartBefore,
  'alt-right': wordEndAfter,
  'ctrl-left': wordStartBefore,
  'ctrl-right': wordEndAfter,
  'alt-<': () => 0,
  'alt->': ({ atoms }) => atoms.length,
  'ctrl-home': () => 0,
  'ctrl-end': ({ atoms }) => atoms.length,
};

/** Keys that delete the text between the cursor and the place `to`. `isCut` is true if Ctrl-Y can put the text back. */
const DELETIONS: Readonly<Record<string, { readonly to: CursorMove; readonly isCut: boolean }>> = {
  backspace: { to: left, isCut: false },
  'shift-backspace': { to: left, isCut: false },
  'ctrl-h': { to: left, isCut: false },
  delete: { to: right, isCut: false },
  'ctrl-d': { to: right, isCut: false },
  'ctrl-k': { to: throughEnd, isCut: true },
  'ctrl-u': { to: toStart, isCut: true },
  'ctrl-w': { to: spacedWordStartBefore, isCut: true },
  'alt-d': { to: wordEndAfter, isCut: true },
  'alt-delete': { to: wordEndAfter, isCut: true },
  'alt-backspace': { to: wordStartBefore, isCut: true },
  'ctrl-backspace': { to: wordStartBefore, isCut: true },
  'ctrl-delete': { to: wordEndAfter, isCut: true },
};

/** Keys that begin a new line. Enter sends instead, but some terminals tell Shift-Enter or Alt-Enter from Enter. */
const NEWLINES = new Set([
  'ctrl-j',
  'shift-enter',
  'alt-enter',
  'ctrl-enter',
  'alt-shift-enter',
  'alt-ctrl-j',
]);

/**
 * Applies a key that edits a text, as in Emacs. Returns undefined for any other key. `cut` is the text that Ctrl-Y puts
 * back.
 */
export const applyKey = (
  buffer: EditBuffer,
  chord: string,
  cut: readonly BufferAtom[],
): KeyEdit | undefined => {
  const move = MOVES[chord];
  if (move) return { buffer: moveTo(buffer, move(buffer)) };
  const deletion = DELETIONS[chord];
  if (deletion) return deleteTo(buffer, deletion.to(buffer), deletion.isCut);
  if (NEWLINES.has(chord)) return { buffer: insertTyped(buffer, '\n') };
  if (chord === 'ctrl-y') return { buffer: replaceRange(buffer, buffer.cursor, buffer.cursor, cut) };
  if (chord === 'ctrl-t') return { buffer: transposeAtoms(buffer) };
  return undefined;
};

const deleteTo = (buffer: EditBuffer, place: number, isCut: boolean): KeyEdit => {
  const { cursor } = moveTo(buffer, place);
  const [from, to] = [Math.min(cursor, buffer.cursor), Math.max(cursor, buffer.cursor)];
  const next = replaceRange(buffer, from, to, []);
  return isCut && to > from ? { buffer: next, cut: buffer.atoms.slice(from, to) } : { buffer: next };
};
