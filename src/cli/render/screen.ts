import { TrackedOutput, type ScreenMark } from './tracked-output.ts';
import { withColors, type Colors } from './colors.ts';
import { terminalSizeOf, type OutputStream } from './output.ts';
import { OutputPair } from './output-pair.ts';
import { safeForTerminal } from '../../base/text/safe-for-terminal.ts';
import { StatusArea } from './status-area.ts';
import { wrapWords } from './wrap-words.ts';

export interface ScreenDeps {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly colors: Colors;
  /** True when both outputs are the same file or pipe (`2>&1`). Absent means false. */
  readonly sharesOneFile?: boolean | undefined;
  /** Calls `run` every `ms` milliseconds until the returned function is called. */
  readonly every: (ms: number, run: () => void) => () => void;
}

/** A part that is drawn below everything else, such as a prompt, and makes way for messages. */
export interface ScreenFooter {
  readonly isShown: boolean;
  /** Erases the part from the screen. */
  hide(): void;
  /** Draws the part again, below what was written meanwhile. */
  show(): void;
}

/**
 * The two outputs of the command, which are usually one terminal: the answer goes to stdout, messages go to stderr.
 * Foreign text is made harmless here before a terminal gets it (docs/cli.md "What reaches the terminal"). Prompts are
 * not written through this class. The status line is drawn on a terminal only and gives way to everything else.
 */
export class Screen {
  readonly #answer: TrackedOutput;
  readonly #outputs: OutputPair;
  readonly colors: Colors;
  readonly #status: StatusArea;
  #footer: ScreenFooter | undefined;
  #onBeforeReport: () => void = () => undefined;

  constructor({ stdout, stderr, colors, sharesOneFile = false, every }: ScreenDeps) {
    this.#answer = new TrackedOutput(stdout);
    this.#outputs = new OutputPair(this.#answer, stderr, sharesOneFile);
    this.colors = colors;
    this.#status = new StatusArea(this.#outputs, colors, every);
  }

  /** The output that the answer goes to, for its size and whether it is a terminal. Text goes through `write`. */
  get stdout(): OutputStream {
    return this.#answer.stdout;
  }

  /** Width of the terminal, in cells. */
  get columns(): number {
    return this.#answer.columns;
  }

  /** The column in which the answer continues. */
  get column(): number {
    return this.mark().column;
  }

  /** True when stdout is not a terminal, and its last line is not ended yet. */
  get hasOpenLine(): boolean {
    return this.#answer.hasOpenLine;
  }

  /** Sets what runs before a message comes between two parts of the answer. Only the newest `run` is called. */
  onBeforeReport(run: () => void): void {
    this.#onBeforeReport = run;
  }

  /** Sets the rows below the text. Undefined removes them. */
  setFooter(footer: ScreenFooter | undefined): void {
    this.#footer = footer;
  }

  /** Shows text that is typed ahead on a line below the answer, until the text is empty. Only a terminal shows it. */
  setTypeAhead(text: string): void {
    if (this.#outputs.stderr.isTTY === true) this.#status.setTypeAhead(text);
  }

  /** Writes a part of the answer, as `TrackedOutput` does. A pinned status and typed text stay below it. */
  write(text: string): void {
    if (text === '') return;
    if (this.#answer.isTerminal) return this.#status.makeWay(() => this.#answer.write(text));
    this.clearStatus();
    this.#answer.write(text);
  }

  /** Writes a line of a command's result to stdout, wrapped between words on a terminal. */
  writeLine(line: string): void {
    this.write(`${wrappedFor(this.stdout, line)}\n`);
  }

  /** Returns the place where the answer continues. */
  mark(): ScreenMark {
    return this.#status.answerEnd;
  }

  /**
   * Reports whether `eraseAfter` would work. It does not for what has scrolled away, nor for what a message or a resize
   * has moved.
   */
  canEraseAfter(mark: ScreenMark): boolean {
    return this.#answer.isInPlace(mark) && this.mark().row - mark.row < terminalSizeOf(this.stdout).rows - 1;
  }

  /** Erases everything after a place on the screen. Returns false if that is not possible. */
  eraseAfter(mark: ScreenMark): boolean {
    if (!this.canEraseAfter(mark)) return false;
    this.#status.makeWay(() => this.#answer.eraseAfter(mark));
    return true;
  }

  /** Erases the last cells of the answer's unfinished row. */
  eraseCells(cells: number): void {
    const { layoutVersion } = this.#answer.end;
    const { row, column } = this.mark();
    this.eraseAfter({ row, column: Math.max(0, column - cells), layoutVersion });
  }

  /** Writes a message on its own line. */
  report(line: string): void {
    this.#onBeforeReport();
    this.#status.makeWay(() => {
      this.#outputs.breakLine();
      this.#footer?.hide();
      const shown = wrappedFor(this.#outputs.stderr, withColors(line, safeForTerminal));
      this.#outputs.writeMessage(`${shown}\n`);
      this.#footer?.show();
    });
  }

  /** Writes a message as `report` does, dimmed. */
  reportDimmed(line: string): void {
    this.report(this.colors.dim(line));
  }

  /** Shows a status until something else is written. Shows nothing without a terminal, or while a prompt is shown. */
  showStatus(text: string): void {
    if (this.#canShowStatus() && !this.#status.isPinned) this.#status.show({ text, isPinned: false });
  }

  /**
   * Shows a status that must not be missed, unless a pinned one is shown. If the status line cannot show it, it is a
   * line of `report`.
   */
  showNotice(text: string): void {
    if (this.#canShowStatus()) this.showStatus(text);
    else this.report(text);
  }

  /** Shows a notice that stays below what is written until the status is cleared. */
  pinNotice(text: string): void {
    if (this.#canShowStatus()) this.#status.show({ text, isPinned: true });
    else this.report(text);
  }

  /** Ends the row, so that what comes next begins another. */
  endLine(): void {
    this.clearStatus();
    this.#outputs.breakLine();
  }

  /** Removes the status, and returns the cursor to the end of the answer. */
  clearStatus(): void {
    this.#status.clear();
  }

  #canShowStatus(): boolean {
    return this.#outputs.stderr.isTTY === true && this.#footer?.isShown !== true;
  }
}

/** Returns a line as an output gets it. On a terminal, where people read it, it is broken between words. */
const wrappedFor = (output: OutputStream, line: string): string =>
  output.isTTY === true ? wrapWords(line, terminalSizeOf(output).columns) : line;
