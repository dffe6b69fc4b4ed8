import { graphemesOf, widthOf } from './text-width.ts';

const TAB_CELLS = 8;

/**
 * A place on the screen, counted from 0. Row 0 is the one in which this process began to write, and column 0 the
 * leftmost cell.
 */
export interface CursorPosition {
  readonly row: number;
  readonly column: number;
}

/**
 * Tracks the place of the terminal's cursor after all that was written. `column` may equal the terminal's width: then
 * the row is full, and the cursor waits at its end for what comes next (VT100's pending wrap).
 */
export class CursorTracker {
  #row = 0;
  #column = 0;

  /** The place of the cursor. Its row counts from the first write of this process, not from the top of the screen. */
  get position(): CursorPosition {
    return { row: this.#row, column: this.#column };
  }

  /** Notes text that the terminal has received. It may contain colours, but no other sequences. */
  write(text: string, columns: number): void {
    const visibleText = text.replace(/\u001B\[[\d;]*m/g, '');
    for (const part of visibleText.split(/([\n\t])/)) {
      if (part === '\n') this.moveTo({ row: this.#row + 1, column: 0 });
      else if (part === '\t') this.#tab(columns);
      else this.#advance(part, columns);
    }
  }

  /** Notes that the cursor was moved to this place, by a sequence that `write` was not given. */
  moveTo({ row, column }: CursorPosition): void {
    this.#row = row;
    this.#column = column;
  }

  /** Notes that the terminal is narrower now. If this has cut the cursor's row, the cursor is in the last part. */
  narrow(columns: number): void {
    if (this.#column > columns) this.#column %= columns;
  }

  /** Moves to the next tab stop, but never out of the row. */
  #tab(columns: number): void {
    if (this.#column >= columns) return;
    this.#column = Math.min(this.#column + TAB_CELLS - (this.#column % TAB_CELLS), columns - 1);
  }

  #advance(text: string, columns: number): void {
    for (const grapheme of graphemesOf(text)) {
      const width = widthOf(grapheme);
      if (this.#column + width > columns) this.moveTo({ row: this.#row + 1, column: 0 });
      this.#column += width;
    }
  }
}
