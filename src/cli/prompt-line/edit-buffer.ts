import { graphemesOf } from '../render/text-width.ts';

/** What the cursor passes in one step: a character as a person sees it, or a whole long paste. */
export interface BufferAtom {
  readonly text: string;
  /** Text that is shown instead of `text`. Absent if `text` itself is shown. */
  readonly label?: string;
}

/** Text that is being typed. `cursor` is the number of atoms before the cursor. */
export interface EditBuffer {
  readonly atoms: readonly BufferAtom[];
  readonly cursor: number;
}

/** A line in which nothing has been typed yet. */
export const EMPTY_BUFFER: EditBuffer = { atoms: [], cursor: 0 };

/**
 * Maximum number of lines, and of characters, of a paste that is shown as it is. A longer paste is shown as its size,
 * and sent in full.
 */
const MAX_INLINE_LINES = 5;
const MAX_INLINE_CHARACTERS = 1_000;

/** Returns the text of a line as it would be sent. */
export const textOfBuffer = ({ atoms }: EditBuffer): string => atoms.map(({ text }) => text).join('');

/** Returns the text that is being typed as the screen shows it, with pastes as their sizes. */
export const displayTextOfBuffer = ({ atoms }: EditBuffer): string =>
  atoms.map(({ text, label }) => label ?? text).join('');

/** Returns a text as if it had been typed, with the cursor at its end. */
export const bufferOf = (text: string): EditBuffer => {
  const atoms = graphemesOf(text).map((grapheme) => ({ text: grapheme }));
  return { atoms, cursor: atoms.length };
};

/**
 * Replaces the atoms from the index `from` up to, but not including, `to`. The cursor is then after the inserted atoms.
 */
export const replaceRange = (
  { atoms }: EditBuffer,
  from: number,
  to: number,
  insert: readonly BufferAtom[],
): EditBuffer => ({
  atoms: [...atoms.slice(0, from), ...insert, ...atoms.slice(to)],
  cursor: from + insert.length,
});

/** Inserts typed text at the cursor. An accent joins the letter before it. */
export const insertTyped = (buffer: EditBuffer, text: string): EditBuffer => {
  const { cursor } = buffer;
  const before = buffer.atoms[cursor - 1];
  const joined = before && before.label === undefined ? before.text + text : undefined;
  const graphemes = graphemesOf(joined ?? text);
  const from = joined === undefined ? cursor : cursor - 1;
  return replaceRange(
    buffer,
    from,
    cursor,
    graphemes.map((grapheme) => ({ text: grapheme })),
  );
};

/** Inserts a paste at the cursor. A short paste becomes text. A longer one becomes an atom that shows its size. */
export const insertPaste = (buffer: EditBuffer, text: string): EditBuffer => {
  const lines = text.replace(/\n$/, '').split('\n').length;
  if (lines <= MAX_INLINE_LINES && text.length <= MAX_INLINE_CHARACTERS) return insertTyped(buffer, text);
  const size = lines > 1 ? `${lines} lines` : `${text.length.toLocaleString('en-US')} characters`;
  return replaceRange(buffer, buffer.cursor, buffer.cursor, [{ text, label: `[${size} pasted]` }]);
};

/** Moves the cursor before the atom with the index `cursor`. An index beyond an end means that end. */
export const moveTo = ({ atoms }: EditBuffer, cursor: number): EditBuffer => ({
  atoms,
  cursor: Math.min(Math.max(0, cursor), atoms.length),
});

/** Returns the place where the word before the cursor begins. */
export const wordStartBefore = ({ atoms, cursor }: EditBuffer): number => {
  let index = cursor;
  while (index > 0 && !isWord(atoms[index - 1])) index -= 1;
  while (index > 0 && isWord(atoms[index - 1])) index -= 1;
  return index;
};

const isWord = (atom: BufferAtom | undefined): boolean =>
  atom !== undefined && (atom.label !== undefined || /^[\p{L}\p{N}_]/u.test(atom.text));

/** Returns where the word before the cursor begins if only blanks separate words. Ctrl-W deletes such words. */
export const spacedWordStartBefore = ({ atoms, cursor }: EditBuffer): number => {
  const isBlank = (atom: BufferAtom | undefined): boolean => atom?.label === undefined && !atom?.text.trim();
  let index = cursor;
  while (index > 0 && isBlank(atoms[index - 1])) index -= 1;
  while (index > 0 && !isBlank(atoms[index - 1])) index -= 1;
  return index;
};

/** Returns the place where the word after the cursor ends. */
export const wordEndAfter = ({ atoms, cursor }: EditBuffer): number => {
  let index = cursor;
  while (index < atoms.length && !isWord(atoms[index])) index += 1;
  while (index < atoms.length && isWord(atoms[index])) index += 1;
  return index;
};

/** Returns the index of the first atom of the line in which `from` lies. */
export const lineStart = ({ atoms }: EditBuffer, from: number): number => {
  let index = from;
  while (index > 0 && !isNewline(atoms[index - 1])) index -= 1;
  return index;
};

const isNewline = (atom: BufferAtom | undefined): boolean => atom?.text === '\n' && atom.label === undefined;

/** Returns the index after the last atom of the line in which `from` lies. */
export const lineEnd = ({ atoms }: EditBuffer, from: number): number => {
  let index = from;
  while (index < atoms.length && !isNewline(atoms[index])) index += 1;
  return index;
};

/**
 * Moves the cursor to the line above (-1) or below (1), at the same place if that line is long enough. Returns
 * undefined when there is no such line.
 */
export const moveByLine = (buffer: EditBuffer, by: 1 | -1): EditBuffer | undefined => {
  const start = lineStart(buffer, buffer.cursor);
  const place = buffer.cursor - start;
  if (by === -1) {
    if (start === 0) return undefined;
    const above = lineStart(buffer, start - 1);
    return moveTo(buffer, Math.min(above + place, start - 1));
  }
  const end = lineEnd(buffer, buffer.cursor);
  if (end === buffer.atoms.length) return undefined;
  return moveTo(buffer, Math.min(end + 1 + place, lineEnd(buffer, end + 1)));
};

/**
 * Exchanges the atoms around the cursor or, at the end of the text, the last two. The cursor is then after them.
 * Without an atom on each side, nothing changes.
 */
export const transposeAtoms = (buffer: EditBuffer): EditBuffer => {
  const index = Math.min(buffer.cursor, buffer.atoms.length - 1);
  const [left, right] = [buffer.atoms[index - 1], buffer.atoms[index]];
  return left && right ? replaceRange(buffer, index - 1, index + 1, [right, left]) : buffer;
};
