import { safeForTerminal } from '../../base/text/safe-for-terminal.ts';
import { truncateToWidth, graphemesOf, widthOf } from '../render/text-width.ts';
import type { BufferAtom, EditBuffer } from './edit-buffer.ts';

/** The text that is being typed, as it is to be shown. */
export interface PromptLineView {
  /** The text before the first line. Later lines are indented by its width. */
  readonly prompt: string;
  readonly buffer: EditBuffer;
  /** Lines below the typed text, such as completions. */
  readonly hints: readonly string[];
}

/** The text that is being typed, laid out in rows of the terminal, with the cursor in them. */
export interface PromptLineRows {
  readonly rows: readonly string[];
  /** Place of the cursor, counted from the first of `rows`. */
  readonly cursor: { readonly row: number; readonly column: number };
}

const TAB_CELLS = 4;

/**
 * Returns the rows of what is being typed, for the size of the terminal. Each row ends one cell before the edge, so
 * that the terminal never joins it with the next row, and the cursor never waits at the edge. If there are more rows
 * than the terminal has, those around the cursor are shown.
 */
export const layOutPrompt = (
  { prompt, buffer, hints }: PromptLineView,
  size: { readonly columns: number; readonly rows: number },
): PromptLineRows => {
  const width = Math.max(2, size.columns - 1);
  const start = truncateToWidth(prompt, Math.max(0, width - 2));
  const indent = ' '.repeat(widthOf(start));
  const rows = [start];
  let column = indent.length;
  let cursor = { row: 0, column };
  const beginRow = (): void => {
    rows.push(indent);
    column = indent.length;
  };
  const put = (grapheme: string): void => {
    const cells = widthOf(grapheme);
    if (column + cells > width) beginRow();
    rows[rows.length - 1] += grapheme;
    column += cells;
  };
  buffer.atoms.forEach((atom, i) => {
    // After a full row, the cursor is in the last cell of that row, which every row leaves free.
    if (i === buffer.cursor) cursor = { row: rows.length - 1, column };
    if (atom.text === '\n' && atom.label === undefined) beginRow();
    else for (const grapheme of graphemesOf(displayTextOf(atom))) put(grapheme);
  });
  if (buffer.cursor === buffer.atoms.length) cursor = { row: rows.length - 1, column };
  return rowsAroundCursor(
    rows,
    hints.map((hint) => truncateToWidth(safeForTerminal(hint), width)),
    cursor,
    size.rows,
  );
};

const displayTextOf = ({ text, label }: BufferAtom): string =>
  label ?? (text === '\t' ? ' '.repeat(TAB_CELLS) : safeForTerminal(text));

const rowsAroundCursor = (
  rows: readonly string[],
  hints: readonly string[],
  cursor: PromptLineRows['cursor'],
  terminalRows: number,
): PromptLineRows => {
  const allRows = [...rows, ...hints];
  const window = Math.max(1, terminalRows - 1);
  if (allRows.length <= window) return { rows: allRows, cursor };
  const first = Math.min(Math.max(0, cursor.row - window + 1), Math.max(0, allRows.length - window));
  return {
    rows: allRows.slice(first, first + window),
    cursor: { row: cursor.row - first, column: cursor.column },
  };
};
