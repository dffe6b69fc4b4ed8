import type { Colors } from './colors.ts';
import { readBlocks, renderBlock } from './markdown.ts';
import { ProseFlow, type AnswerOutput } from './prose-flow.ts';
import { SafeText } from '../../base/text/safe-for-terminal.ts';
import type { ScreenMark } from './tracked-output.ts';

/**
 * Shows Markdown while it arrives: text at once as it was written, and each block a second time, rendered in its place,
 * when the next block has begun or the text ends. A block that has scrolled out of reach stays as it was written, and
 * so does one during which the terminal was resized, since the place of its rows is then unknown.
 */
export class MarkdownStream {
  readonly #output: AnswerOutput;
  readonly #colors: Colors;
  readonly #safe = new SafeText();
  readonly #flow: ProseFlow;
  /** Source of the unfinished block, which is on the screen from `#start` on. */
  #open = '';
  #start: ScreenMark | undefined;
  /**
   * True from the time when a block can no longer be redrawn until its end. Such a block is not even parsed, since ten
   * thousand lines would be parsed ten thousand times.
   */
  #isOutOfReach = false;

  constructor(output: AnswerOutput, colors: Colors) {
    this.#output = output;
    this.#colors = colors;
    this.#flow = new ProseFlow(output);
  }

  /** Shows the next text of the answer. It may end anywhere, even within a word. */
  feed(text: string): void {
    this.#acceptSafe(this.#safe.feed(text));
  }

  /** Renders what is left. The next text begins a new block. */
  end(): void {
    this.interrupt();
    this.#isOutOfReach = false;
    this.#flow.restart();
  }

  /**
   * Closes what is open as `end` does, before something else is printed. Code that was interrupted is still code
   * afterwards.
   */
  interrupt(): void {
    this.#acceptSafe(this.#safe.end());
    const { isInCode } = this.#flow;
    if (this.#start && !isInCode) this.#redraw(this.#start, readBlocks(this.#open), '');
    this.#open = '';
    this.#start = undefined;
    this.#isOutOfReach = isInCode;
    if (!isInCode) this.#flow.restart();
  }

  /**
   * Forgets the open block, which stays on the screen as it is or is erased by the caller. The next text begins a new
   * block.
   */
  abandon(): void {
    this.#safe.end();
    this.#giveUpBlock();
    this.#isOutOfReach = false;
    this.#flow.restart();
  }

  #acceptSafe(text: string): void {
    for (const line of text.split(/(?<=\n)/)) {
      if (line !== '') this.#acceptLine(line);
    }
  }

  /** Writes a line, or a part of one, and renders the blocks that it finishes. */
  #acceptLine(text: string): void {
    if (this.#isOutOfReach) {
      this.#flow.write(text);
      this.#isOutOfReach = !this.#flow.isBetweenBlocks;
      return;
    }
    // A block begins at its own line. The line breaks before it are not a part of it, so a redraw does not erase them.
    const breaks = this.#open === '' ? (/^\n+/.exec(text)?.[0] ?? '') : '';
    this.#flow.write(breaks);
    const remaining = text.slice(breaks.length);
    if (remaining === '') return;
    this.#start ??= this.#output.mark();
    this.#open += remaining;
    this.#flow.write(remaining);
    // Only a line break can end a block; parsing the block anew for every word would take quadratic time.
    if (remaining.includes('\n')) this.#renderFinished(this.#start);
  }

  #giveUpBlock(): void {
    this.#open = '';
    this.#start = undefined;
    this.#isOutOfReach = !this.#flow.isBetweenBlocks;
  }

  #renderFinished(start: ScreenMark): void {
    if (!this.#output.canEraseAfter(start)) return this.#giveUpBlock();
    const blocks = readBlocks(this.#open);
    const last = blocks.at(-1);
    const finished = last?.type === 'space' ? blocks : blocks.slice(0, -1);
    if (!finished.some(({ type }) => type !== 'space')) return;
    const unfinished = last === undefined || last.type === 'space' ? '' : last.raw;
    // marked normalises some source (tabs), which could then not be cut by the lengths of its blocks.
    if (!this.#open.endsWith(unfinished)) return;
    this.#redraw(start, finished, unfinished);
  }

  #redraw(start: ScreenMark, blocks: ReturnType<typeof readBlocks>, unfinished: string): void {
    const output = this.#output;
    const renderedText = blocks
      .map((block) => renderWithBreaks(block, this.#colors, output.columns - 1))
      .join('');
    if (!output.eraseAfter(start)) return this.#giveUpBlock();
    output.write(renderedText);
    this.#open = unfinished;
    this.#start = unfinished === '' ? undefined : output.mark();
    if (unfinished === '') return;
    this.#flow.restart();
    this.#flow.write(unfinished);
  }
}

/**
 * Renders a block with the line breaks, or the blanks, that followed it, so that the distance between blocks is the
 * author's.
 */
const renderWithBreaks = (
  block: ReturnType<typeof readBlocks>[number],
  colors: Colors,
  columns: number,
): string => {
  const breaks = /(?:\n*| *)$/.exec(block.raw)?.[0] ?? '';
  return block.type === 'space' ? block.raw : renderBlock(block, colors, columns) + breaks;
};
