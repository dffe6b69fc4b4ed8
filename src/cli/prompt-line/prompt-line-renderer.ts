import { cursorMove } from '../render/output.ts';
import { layOutPrompt, type PromptLineRows, type PromptLineView } from './prompt-line-rows.ts';

/** The terminal that the prompt is drawn on; sizes in cells. */
export interface PromptOutput {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

/** Draws the prompt on the terminal. Each drawing replaces the one before. */
export class PromptLineRenderer {
  readonly #output: PromptOutput;
  /** The rows on the screen, and the cursor in them. */
  #rows: PromptLineRows | undefined;

  readonly #onResize: () => void;

  /**
   * `onResize` is called to draw the prompt again. The rows of the prompt end before the edge, so a wider terminal
   * moves none. A narrower terminal may have cut some of them in two, which terminals do differently. Therefore the
   * rows that certainly belong to the prompt are drawn anew, and nothing above them is touched.
   */
  constructor(output: PromptOutput, onResize: () => void) {
    this.#output = output;
    this.#onResize = onResize;
    output.on('resize', this.#onResize);
  }

  /** True while the prompt is on the screen, in rows that the next drawing replaces. */
  get isShown(): boolean {
    return this.#rows !== undefined;
  }

  /** Ignores further resizes; what is drawn stays. */
  close(): void {
    this.#output.off('resize', this.#onResize);
  }

  /** Draws the prompt, in place of the one that is shown. A terminal that reports no size counts as 80 by 24. */
  draw(content: PromptLineView): void {
    const size = { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
    const next = layOutPrompt(content, size);
    const { row, column } = next.cursor;
    const up = next.rows.length - 1 - row;
    const place = `\r${cursorMove(up, 'up')}${cursorMove(column, 'right')}`;
    this.#output.write(`${this.#erasure()}${next.rows.join('\r\n')}${place}`);
    this.#rows = next;
  }

  /** Erases the prompt from the screen. */
  hide(): void {
    this.#output.write(this.#erasure());
    this.#rows = undefined;
  }

  /** Leaves the prompt on the screen, with `mark` at its end; later output begins below it. */
  leaveOnScreen(mark: string): void {
    const below = (this.#rows?.rows.length ?? 1) - 1 - (this.#rows?.cursor.row ?? 0);
    this.#output.write(`${cursorMove(below, 'down')}${mark}\r\n`);
    this.#rows = undefined;
  }

  /** Clears the whole screen, including the prompt. */
  clearScreen(): void {
    this.#output.write('\u001B[H\u001B[2J');
    this.#rows = undefined;
  }

  /**
   * Returns the sequence that erases the screen from the first row that was drawn. It is empty if nothing was drawn.
   */
  #erasure(): string {
    if (!this.#rows) return '';
    const { row } = this.#rows.cursor;
    return `\r${cursorMove(row, 'up')}\u001B[J`;
  }
}
