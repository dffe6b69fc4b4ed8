import { withColors, withoutColors } from './colors.ts';
import { CursorTracker, type CursorPosition } from './cursor-tracker.ts';
import { cursorMove, terminalSizeOf, type OutputStream } from './output.ts';
import { safeContinuation } from '../../base/text/safe-for-terminal.ts';

/** A place in the answer to which the cursor can return as long as only the answer is written. */
export interface ScreenMark extends CursorPosition {
  readonly layoutVersion: number;
}

/**
 * The output of the answer, which is stdout, and the place on the terminal where the answer ends. The place is right
 * only if `follow` and `invalidateMarks` report whatever else reaches the terminal.
 */
export class TrackedOutput {
  readonly stdout: OutputStream;
  readonly #cursor = new CursorTracker();
  #columns: number;
  /** Goes up when places on the screen have changed: a message came between, or the terminal was resized. */
  #layoutVersion = 0;
  #hasOpenLine = false;

  constructor(stdout: OutputStream) {
    this.stdout = stdout;
    this.#columns = terminalSizeOf(stdout).columns;
  }

  /** True when stdout is a terminal, so that what was written can be erased. */
  get isTerminal(): boolean {
    return this.stdout.isTTY === true;
  }

  /** True when stdout is not a terminal, and what it received last did not end a line. */
  get hasOpenLine(): boolean {
    return this.#hasOpenLine;
  }

  /** Width of the terminal, in cells. */
  get columns(): number {
    this.#readSize();
    return this.#columns;
  }

  /** The place where the answer ends, at which the cursor is. */
  get end(): ScreenMark {
    this.#readSize();
    return { ...this.#cursor.position, layoutVersion: this.#layoutVersion };
  }

  /** Reports whether a place is still valid, because no message was printed and the terminal was not resized since. */
  isInPlace(mark: ScreenMark): boolean {
    this.#readSize();
    return this.isTerminal && mark.layoutVersion === this.#layoutVersion;
  }

  /**
   * Writes a part of the answer. If stdout is not a terminal, the text is written as it is, only without Orion's
   * colours.
   */
  write(text: string): void {
    if (!this.isTerminal) {
      const plain = withoutColors(text);
      if (plain === '') return;
      this.stdout.write(plain);
      this.#hasOpenLine = !plain.endsWith('\n');
      return;
    }
    const shownText = withColors(text, safeContinuation);
    this.stdout.write(shownText);
    this.follow(shownText);
  }

  /** Moves the known place past text that is on the terminal now, whichever output it was written to. */
  follow(text: string): void {
    this.#cursor.write(text, this.columns);
  }

  /** Notes that a line break on stderr has ended the open line in the file or pipe that both outputs share. */
  closeLine(): void {
    this.#hasOpenLine = false;
  }

  /** Makes all earlier places invalid, because something has come between them and the end. */
  invalidateMarks(): void {
    this.#layoutVersion += 1;
  }

  /** Sets the known place after the cursor was moved there. */
  setEnd(place: CursorPosition): void {
    this.#cursor.moveTo(place);
  }

  /** Erases everything after a place for which `isInPlace` is true. */
  eraseAfter(mark: ScreenMark): void {
    // A full row stays, because what came after it began on the next row.
    const target = mark.column < this.#columns ? mark : { row: mark.row + 1, column: 0 };
    const up = this.#cursor.position.row - target.row;
    // Nothing was written after the full row.
    if (up < 0) return;
    this.stdout.write(`\r${cursorMove(up, 'up')}${cursorMove(target.column, 'right')}\u001B[J`);
    this.setEnd(target);
  }

  #readSize(): void {
    const { columns } = terminalSizeOf(this.stdout);
    if (columns === this.#columns) return;
    if (columns < this.#columns) this.#cursor.narrow(columns);
    this.#columns = columns;
    this.#layoutVersion += 1;
  }
}
