import type { Colors } from './colors.ts';
import { cursorMove, terminalSizeOf } from './output.ts';
import type { OutputPair } from './output-pair.ts';
import { StatusLine, type StatusText } from './status-line.ts';
import type { ScreenMark } from './tracked-output.ts';

/**
 * The row below the answer, in which the status line is drawn even while the last line of the answer is unfinished. It
 * must be cleared before anything else is written (`makeWay`).
 */
export class StatusArea {
  readonly #outputs: OutputPair;
  readonly #line: StatusLine;
  /** The end of the answer's unfinished line, while the status is drawn below that line. */
  #lineEnd: ScreenMark | undefined;

  /** `every` calls `run` every `ms` milliseconds until the returned function is called. */
  constructor(outputs: OutputPair, colors: Colors, every: (ms: number, run: () => void) => () => void) {
    this.#outputs = outputs;
    const { stderr } = outputs;
    const columns = (): number => terminalSizeOf(stderr).columns;
    this.#line = new StatusLine({ write: (text) => void stderr.write(text), columns, colors, every });
  }

  /** True while a status is shown that stays below whatever else is written. */
  get isPinned(): boolean {
    return this.#line.status?.isPinned === true;
  }

  /** The place where the answer continues once the area is cleared. */
  get answerEnd(): ScreenMark {
    const { end } = this.#outputs.answer;
    return this.#lineEnd ?? end;
  }

  /** Shows a status in place of the present one. */
  show(status: StatusText): void {
    this.clear();
    this.#draw(status);
  }

  /** Shows text that is typed ahead behind the status, or on a row of its own. An empty text removes it. */
  setTypeAhead(text: string): void {
    if (text === this.#line.typeAhead) return;
    const { status } = this.#line;
    this.clear();
    this.#line.typeAhead = text;
    this.#redraw(status?.text === '' ? undefined : status);
  }

  /** Clears the area, calls `write`, and draws a pinned status and typed text again below what was written. */
  makeWay(write: () => void): void {
    const { status } = this.#line;
    this.clear();
    write();
    this.#redraw(status?.isPinned === true ? status : undefined);
  }

  /** Removes the status, and returns the cursor to the end of the answer's unfinished line. */
  clear(): void {
    if (!this.#line.clear()) return;
    const { answer, stderr } = this.#outputs;
    const lineEnd = this.#lineEnd;
    this.#lineEnd = undefined;
    // After a full row, the text continues in the next row anyway.
    if (!lineEnd || !answer.isInPlace(lineEnd) || lineEnd.column >= answer.columns) return;
    stderr.write(`${cursorMove(1, 'up')}${cursorMove(lineEnd.column, 'right')}`);
    answer.setEnd(lineEnd);
  }

  #redraw(status: StatusText | undefined): void {
    if (status === undefined && this.#line.typeAhead === '') return;
    this.#draw(status ?? { text: '', isPinned: false });
  }

  #draw(status: StatusText): void {
    const mark = this.answerEnd;
    const isInLine = this.#outputs.isOneTerminal && mark.column > 0;
    if (isInLine) this.#outputs.breakLine();
    this.#line.draw(status);
    this.#lineEnd = isInLine ? mark : undefined;
  }
}
