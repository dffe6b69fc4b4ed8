import { promptRows, type PromptRows, type PromptView } from './prompt-rows.ts';

/** The terminal that the prompt is drawn on; sizes in cells. */
export interface PromptOutput {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

/** The prompt on the terminal: each drawing replaces the one before. */
export class DrawnPrompt {
  readonly #output: PromptOutput;
  /** The rows on the screen, and the cursor in them. */
  #drawn: PromptRows | undefined;

  readonly #onResize: () => void;

  /** `onResize` is called to draw the prompt again. */
  constructor(output: PromptOutput, onResize: () => void) {
    this.#output = output;
    /*
     * Rows of ours end before the edge, so a wider terminal moves none. A narrower one may have cut some in two, which
     * terminals do differently: what is certainly ours is drawn anew, and nothing above it is touched.
     */
    this.#onResize = onResize;
    output.on('resize', this.#onResize);
  }

  get isShown(): boolean {
    return this.#drawn !== undefined;
  }

  /** Ignores further resizes; what is drawn stays. */
  close(): void {
    this.#output.off('resize', this.#onResize);
  }

  /** Draws the prompt, or draws it again. */
  draw(content: PromptView): void {
    const size = { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
    const next = promptRows(content, size);
    const { row, column } = next.cursor;
    const up = next.rows.length - 1 - row;
    const place = `\r${up > 0 ? `\u001B[${up}A` : ''}${column > 0 ? `\u001B[${column}C` : ''}`;
    this.#output.write(`${this.#erasure()}${next.rows.join('\r\n')}${place}`);
    this.#drawn = next;
  }

  /** Takes the prompt off the screen. */
  hide(): void {
    this.#output.write(this.#erasure());
    this.#drawn = undefined;
  }

  /** Leaves it as it is, with `mark` at its end; what comes next begins below it. */
  leave(mark: string): void {
    const below = (this.#drawn?.rows.length ?? 1) - 1 - (this.#drawn?.cursor.row ?? 0);
    this.#output.write(`${below > 0 ? `\u001B[${below}B` : ''}${mark}\r\n`);
    this.#drawn = undefined;
  }

  /** Clears the whole screen, which takes the prompt with it. */
  clearScreen(): void {
    this.#output.write('\u001B[H\u001B[2J');
    this.#drawn = undefined;
  }

  /** The sequence that erases the screen from the first row that was drawn. */
  #erasure(): string {
    if (!this.#drawn) return '';
    const { row } = this.#drawn.cursor;
    return `\r${row > 0 ? `\u001B[${row}A` : ''}\u001B[J`;
  }
}
