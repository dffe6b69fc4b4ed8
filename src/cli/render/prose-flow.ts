import type { ScreenMark } from './tracked-output.ts';
import { graphemesOf, widthOf } from './text-width.ts';

/** The part of `Screen` by which an answer is written and, on a terminal, erased. */
export interface AnswerOutput {
  /** Width of the terminal, in cells. */
  readonly columns: number;
  /** Number of cells that the unfinished row has so far. */
  readonly column: number;
  write(text: string): void;
  mark(): ScreenMark;
  canEraseAfter(mark: ScreenMark): boolean;
  eraseAfter(mark: ScreenMark): boolean;
  eraseCells(cells: number): void;
}

/**
 * Matches lines that are never broken, which are those of code and tables. The terminal wraps them, so that they are
 * copied whole.
 */
const UNWRAPPED_LINE = /^(?: {4}|\t| {0,3}\|)/;
const FENCE = /^ *(?:[-*+>] +|\d{1,9}[.)] +)?(`{3,}|~{3,})/;
/**
 * Number of characters of a line after which no more are examined. What makes a line code or a table is at its
 * beginning.
 */
const EXAMINED_CHARACTERS = 100;

/**
 * Writes Markdown as it comes, each word at once. A word that does not fit its row moves to the next. All of it reaches
 * the terminal except a blank at which a row ends. The text that it gets must be safe to print.
 */
export class ProseFlow {
  readonly #output: AnswerOutput;
  /** Beginning of the unfinished line. */
  #line = '';
  #isBlank = true;
  /** True when the last finished line was blank. */
  #isAfterBlank = false;
  /** The code fence that is open. Undefined outside of fenced code. */
  #fence: string | undefined;
  #word = '';
  #wordWidth = 0;
  /** Text that is not written yet. `#column` is the column after it. */
  #unwritten = '';
  #column = 0;

  constructor(output: AnswerOutput) {
    this.#output = output;
  }

  /** True when a blank line has ended the last block of Markdown. */
  get isBetweenBlocks(): boolean {
    return this.#isAfterBlank && this.#isBlank && this.#fence === undefined;
  }

  /** True between the fences of a block of code. */
  get isInCode(): boolean {
    return this.#fence !== undefined;
  }

  /** Begins a block with what comes next, whatever came before. */
  restart(): void {
    this.#beginLine();
    this.#isAfterBlank = false;
    this.#fence = undefined;
  }

  /** Writes the next text, which continues the row where the output's cursor is. It may end within a word. */
  write(text: string): void {
    this.#column = this.#output.column;
    for (const part of text.split(/(\n)/)) {
      if (part === '\n') this.#endLine();
      else if (part !== '') this.#writeInLine(part);
    }
    this.#flush();
  }

  #flush(): void {
    this.#output.write(this.#unwritten);
    this.#unwritten = '';
  }

  #endLine(): void {
    this.#unwritten += '\n';
    this.#column = 0;
    const [, fence] = FENCE.exec(this.#line) ?? [];
    if (this.#fence === undefined) this.#fence = fence;
    else if (fence?.startsWith(this.#fence) === true && this.#line.trim() === fence) this.#fence = undefined;
    const wasBlank = this.#isBlank;
    this.#beginLine();
    this.#isAfterBlank = wasBlank;
  }

  #beginLine(): void {
    this.#line = '';
    this.#isBlank = true;
    this.#endWord();
  }

  #endWord(): void {
    this.#word = '';
    this.#wordWidth = 0;
  }

  #writeInLine(text: string): void {
    if (this.#line.length < EXAMINED_CHARACTERS) this.#line += text.slice(0, EXAMINED_CHARACTERS);
    this.#isBlank &&= text.trim() === '';
    if (this.#fence !== undefined || UNWRAPPED_LINE.test(this.#line)) {
      this.#unwritten += text;
      return;
    }
    const { columns } = this.#output;
    for (const grapheme of graphemesOf(text)) this.#writeGrapheme(grapheme, widthOf(grapheme), columns);
  }

  #writeGrapheme(grapheme: string, width: number, columns: number): void {
    const isBreak = /^\s/.test(grapheme) || (width === 2 && /^\p{L}/u.test(grapheme));
    // The last cell stays free, because after a full row the cursor waits at the edge and not yet in the next row
    // (`CursorTracker`).
    const limit = columns - 1;
    if (this.#column + width > limit && (isBreak || this.#wordWidth + width <= limit)) {
      this.#breakRow(isBreak);
      if (grapheme === ' ') return;
    }
    this.#unwritten += grapheme;
    // A word longer than a row is left to the terminal, because an address that is cut could not be copied.
    this.#column = this.#column + width > columns ? width : this.#column + width;
    if (isBreak) return this.#endWord();
    if (this.#wordWidth <= columns) this.#word += grapheme;
    this.#wordWidth += width;
  }

  /** Begins a row. The unfinished word moves into it, unless the old row ends after a word (`endsAfterWord`). */
  #breakRow(endsAfterWord: boolean): void {
    const movedWord = endsAfterWord ? '' : this.#word;
    if (this.#unwritten.endsWith(movedWord)) {
      this.#unwritten = this.#unwritten.slice(0, this.#unwritten.length - movedWord.length);
    } else {
      this.#flush();
      this.#output.eraseCells(this.#wordWidth);
    }
    this.#unwritten += `\n${movedWord}`;
    this.#column = endsAfterWord ? 0 : this.#wordWidth;
    if (endsAfterWord) this.#endWord();
  }
}
