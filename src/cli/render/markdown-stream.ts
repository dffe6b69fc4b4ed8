import type { Colors } from './colors.ts';
import { readBlocks, renderBlock } from './markdown.ts';
import { ProseFlow, type AnswerOutput } from './prose-flow.ts';
import { SafeText } from '../../base/text/safe-for-terminal.ts';
import type { ScreenMark } from './screen.ts';

/**
 * Shows Markdown while it arrives: text at once as it was written, and each block a second time, rendered in its place,
 * when the next block has begun. A block that has scrolled out of reach stays as it was written, and so does one during
 * which the terminal was resized, since the place of its rows is then unknown.
 */
export class MarkdownStream {
  readonly #paper: AnswerOutput;
  readonly #colors: Colors;
  readonly #safe = new SafeText();
  readonly #flow: ProseFlow;
  /** Source of the unfinished block, which is on the screen from `#start` on. */
  #open = '';
  #start: ScreenMark | undefined;
  /**
   * True when the block is out of reach until its end; it is then not even parsed, since ten thousand lines would be
   * parsed ten thousand times.
   */
  #isAdrift = false;

  constructor(paper: AnswerOutput, colors: Colors) {
    this.#paper = paper;
    this.#colors = colors;
    this.#flow = new ProseFlow(paper);
  }

  feed(text: string): void {
    this.#take(this.#safe.feed(text));
  }

  /** Renders what is left. The next text begins a new block. */
  end(): void {
    this.interrupt();
    this.#isAdrift = false;
    this.#flow.restart();
  }

  /** Closes what is open as `end` does, where the text goes on behind something else: code goes on as code. */
  interrupt(): void {
    this.#take(this.#safe.end());
    const { isInCode } = this.#flow;
    if (this.#start && !isInCode) this.#redraw(this.#start, readBlocks(this.#open), '');
    this.#open = '';
    this.#start = undefined;
    this.#isAdrift = isInCode;
    if (!isInCode) this.#flow.restart();
  }

  /** Leaves everything as it is on the screen, or gone from it; the next text begins a new block. */
  leave(): void {
    this.#safe.end();
    this.#drift();
    this.#isAdrift = false;
    this.#flow.restart();
  }

  #take(text: string): void {
    for (const line of text.split(/(?<=\n)/)) {
      if (line !== '') this.#takeLine(line);
    }
  }

  /** Takes a line, or a part of one. */
  #takeLine(text: string): void {
    if (this.#isAdrift) {
      this.#flow.write(text);
      this.#isAdrift = !this.#flow.isBetweenBlocks;
      return;
    }
    // A block begins at its own line: if it were redrawn from the line break before it, that would erase what it
    // follows.
    const breaks = this.#open === '' ? (/^\n+/.exec(text)?.[0] ?? '') : '';
    this.#flow.write(breaks);
    const rest = text.slice(breaks.length);
    if (rest === '') return;
    this.#start ??= this.#paper.mark();
    this.#open += rest;
    this.#flow.write(rest);
    // Only a line break can end a block; parsing the block anew for every word would take quadratic time.
    if (rest.includes('\n')) this.#renderFinished(this.#start);
  }

  #drift(): void {
    this.#open = '';
    this.#start = undefined;
    this.#isAdrift = !this.#flow.isBetweenBlocks;
  }

  #renderFinished(start: ScreenMark): void {
    if (!this.#paper.canEraseAfter(start)) return this.#drift();
    const blocks = readBlocks(this.#open);
    const last = blocks.at(-1);
    const finished = last?.type === 'space' ? blocks : blocks.slice(0, -1);
    if (!finished.some(({ type }) => type !== 'space')) return;
    const rest = last === undefined || last.type === 'space' ? '' : last.raw;
    // Source that marked normalises (tabs) could not be cut by the lengths of its blocks.
    if (!this.#open.endsWith(rest)) return;
    this.#redraw(start, finished, rest);
  }

  #redraw(start: ScreenMark, blocks: ReturnType<typeof readBlocks>, rest: string): void {
    const paper = this.#paper;
    const shown = blocks.map((block) => rendered(block, this.#colors, paper.columns - 1)).join('');
    if (!paper.eraseAfter(start)) return this.#drift();
    paper.answer(shown);
    this.#open = rest;
    this.#start = rest === '' ? undefined : paper.mark();
    if (rest === '') return;
    this.#flow.restart();
    this.#flow.write(rest);
  }
}

/**
 * Renders a block with the line breaks, or the blanks, that followed it: the distance between blocks is the author's.
 */
const rendered = (block: ReturnType<typeof readBlocks>[number], colors: Colors, columns: number): string => {
  const breaks = /(?:\n*| *)$/.exec(block.raw)?.[0] ?? '';
  return block.type === 'space' ? block.raw : renderBlock(block, colors, columns) + breaks;
};
