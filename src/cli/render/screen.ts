import { withColors, withoutColors, type Colors } from './colors.ts';
import { CursorTracker, type CursorPosition } from './cursor-tracker.ts';
import { terminalSizeOf, type OutputStream } from './output.ts';
import { safeContinuation, safeForTerminal } from '../../base/text/safe-for-terminal.ts';
import { StatusLine, type LineStatus } from './status-line.ts';
import { wrapWords } from './wrap-words.ts';

export interface ScreenOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly colors: Colors;
  /** Milliseconds that one call of Temporal may take. The client must have its answer within 2 s. */
  readonly every: (ms: number, run: () => void) => () => void;
}

/** A place in the answer that one can go back to as long as only the answer was written since. */
export interface ScreenMark extends CursorPosition {
  readonly layoutVersion: number;
}

/** A part that is drawn below everything else, such as a prompt, and makes way for messages. */
export interface ScreenFooter {
  readonly isShown: boolean;
  hide(): void;
  show(): void;
}

/**
 * The two outputs of the command, which are usually one terminal: the answer goes to stdout, messages go to stderr.
 * The one place where text reaches a terminal: foreign text is made harmless here (docs/cli.md "What reaches
 * the terminal"). The status line is drawn on a terminal only and gives way to everything else.
 */
export class Screen {
  readonly #options: ScreenOptions;
  readonly #cursor = new CursorTracker();
  #columns: number;
  /** Goes up when places on the screen have changed: a message came between, or the terminal was resized. */
  #layoutVersion = 0;
  readonly #status: StatusLine;
  /** The end of the unfinished line above the status. */
  #lineEnd: ScreenMark | undefined;
  #footer: ScreenFooter | undefined;
  #onBeforeReport: () => void = () => undefined;

  constructor(options: ScreenOptions) {
    const { stdout, stderr, colors, every } = options;
    this.#options = options;
    this.#columns = terminalSizeOf(stdout).columns;
    const columns = (): number => terminalSizeOf(stderr).columns;
    this.#status = new StatusLine({ write: (text) => void stderr.write(text), columns, colors, every });
  }

  get stdout(): OutputStream {
    return this.#options.stdout;
  }

  get colors(): Colors {
    return this.#options.colors;
  }

  /** Width of the terminal, in cells. */
  get columns(): number {
    this.#readSize();
    return this.#columns;
  }

  /** Cells of the answer's unfinished line. */
  get column(): number {
    this.#readSize();
    return this.#lineEnd?.column ?? this.#cursor.position.column;
  }

  /** Sets what runs before a message comes between two parts of the answer; only the newest `run` is called. */
  onBeforeReport(run: () => void): void {
    this.#onBeforeReport = run;
  }

  /** Sets the rows below the text. Undefined removes them. */
  setFooter(footer: ScreenFooter | undefined): void {
    this.#footer = footer;
  }

  /** Shows text that is typed ahead, below the answer until it is empty. Only on a terminal. */
  setTypeAhead(text: string): void {
    if (text === this.#status.typeAhead || this.#options.stderr.isTTY !== true) return;
    const { status } = this.#status;
    this.clearStatus();
    this.#status.typeAhead = text;
    this.#redraw(status?.text === '' ? undefined : status);
  }

  /** Writes a part of the answer: byte for byte as it is where stdout is no terminal. */
  write(text: string): void {
    if (text === '') return;
    const { stdout } = this.#options;
    if (stdout.isTTY !== true) {
      const plain = withoutColors(text);
      this.clearStatus();
      stdout.write(plain);
      return;
    }
    const { status } = this.#status;
    this.clearStatus();
    this.#readSize();
    const shown = withColors(text, safeContinuation);
    stdout.write(shown);
    this.#cursor.write(shown, this.#columns);
    this.#redraw(status?.isPinned === true ? status : undefined);
  }

  /** Writes a line of a list as the answer. */
  writeLine(line: string): void {
    this.write(`${wrappedFor(this.stdout, line)}\n`);
  }

  /** Returns the place where the answer continues. */
  mark(): ScreenMark {
    this.#readSize();
    return this.#lineEnd ?? { ...this.#cursor.position, layoutVersion: this.#layoutVersion };
  }

  /** Tells if `eraseAfter` would work: not for what has scrolled away, nor for what a message or a resize has moved. */
  canEraseAfter(mark: ScreenMark): boolean {
    this.#readSize();
    const isHere = this.#options.stdout.isTTY === true && mark.layoutVersion === this.#layoutVersion;
    return isHere && this.mark().row - mark.row < terminalSizeOf(this.stdout).rows - 1;
  }

  /** Erases everything after a place on the screen; returns false where it cannot. */
  eraseAfter(mark: ScreenMark): boolean {
    if (!this.canEraseAfter(mark)) return false;
    const { status } = this.#status;
    this.clearStatus();
    // A full row stays: what came after it began on the next one.
    const target = mark.column < this.#columns ? mark : { row: mark.row + 1, column: 0 };
    const up = this.#cursor.position.row - target.row;
    if (up >= 0) {
      this.stdout.write(`\r${csi(up, 'A')}${csi(target.column, 'C')}\u001B[J`);
      this.#cursor.moveTo(target);
    }
    this.#redraw(status?.isPinned === true ? status : undefined);
    return true;
  }

  /** Erases the last cells of the answer's unfinished row. */
  eraseCells(cells: number): void {
    const { row, column } = this.mark();
    this.eraseAfter({ row, column: Math.max(0, column - cells), layoutVersion: this.#layoutVersion });
  }

  /** Writes a message on its own line. */
  report(line: string): void {
    const { status } = this.#status;
    // This call may draw the status again, so the status is cleared after it.
    this.#onBeforeReport();
    this.clearStatus();
    this.#breakLine();
    this.#footer?.hide();
    const { stderr } = this.#options;
    const shown = `${wrappedFor(stderr, withColors(line, safeForTerminal))}\n`;
    stderr.write(shown);
    if (this.#isShared()) {
      this.#cursor.write(shown, this.#columns);
      this.#layoutVersion += 1;
    }
    this.#footer?.show();
    this.#redraw(status?.isPinned === true ? status : undefined);
  }

  /** Writes a message as `report` does, dimmed. */
  reportDimmed(line: string): void {
    this.report(this.colors.dim(line));
  }

  /** Shows a status until something else is written; shows nothing without a terminal or while a prompt is there. */
  showStatus(text: string): void {
    if (this.#options.stderr.isTTY !== true || this.#status.status?.isPinned === true) return;
    if (this.#footer?.isShown === true) return;
    this.clearStatus();
    this.#draw({ text, isPinned: false });
  }

  /** Shows a status that must not be missed. If there is no status line, it is a line of `report`. */
  showNotice(text: string): void {
    if (this.#options.stderr.isTTY !== true || this.#footer?.isShown === true) return this.report(text);
    this.showStatus(text);
  }

  /** Shows a notice that stays below what is written until the status is cleared. */
  pinNotice(text: string): void {
    if (this.#options.stderr.isTTY !== true || this.#footer?.isShown === true) return this.report(text);
    this.clearStatus();
    this.#draw({ text, isPinned: true });
  }

  /** Ends the row, so that what comes next begins another. */
  endLine(): void {
    this.clearStatus();
    this.#breakLine();
  }

  clearStatus(): void {
    if (!this.#status.clear()) return;
    const cut = this.#lineEnd;
    this.#lineEnd = undefined;
    this.#readSize();
    // A full row continues in the next one anyway.
    if (cut?.layoutVersion !== this.#layoutVersion || cut.column >= this.#columns) return;
    this.#options.stderr.write(`${csi(1, 'A')}${csi(cut.column, 'C')}`);
    this.#cursor.moveTo(cut);
  }

  #redraw(status: LineStatus | undefined): void {
    if (status === undefined && this.#status.typeAhead === '') return;
    this.#draw(status ?? { text: '', isPinned: false });
  }

  #draw(status: LineStatus): void {
    const mark = this.mark();
    const isCut = this.#isShared() && mark.column > 0;
    if (isCut) this.#breakLine();
    this.#status.draw(status);
    this.#lineEnd = isCut ? mark : undefined;
  }

  /** Ends an unfinished line of the answer where both outputs share the terminal. */
  #breakLine(): void {
    if (!this.#isShared() || this.mark().column === 0) return;
    this.#options.stderr.write('\n');
    this.#cursor.write('\n', this.#columns);
  }

  #isShared(): boolean {
    return this.#options.stdout.isTTY === true && this.#options.stderr.isTTY === true;
  }

  #readSize(): void {
    const { columns } = terminalSizeOf(this.stdout);
    if (columns === this.#columns) return;
    if (columns < this.#columns) this.#cursor.narrow(columns);
    this.#columns = columns;
    this.#layoutVersion += 1;
  }
}

/** Lines for a person are broken between words. */
const wrappedFor = (output: OutputStream, line: string): string =>
  output.isTTY === true ? wrapWords(line, terminalSizeOf(output).columns) : line;

const csi = (count: number, action: string): string => (count > 0 ? `\u001B[${count}${action}` : '');
