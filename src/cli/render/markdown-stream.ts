import type { Colors } from './colors.ts';
import { readBlocks, renderBlock } from './markdown.ts';
import { safeForTerminal } from './safe-for-terminal.ts';
import { rowsOf } from './text-rows.ts';

export interface MarkdownStreamOptions {
  readonly colors: Colors;
  readonly write: (text: string) => void;
  /** Of the terminal, asked anew each time: it may be resized. */
  readonly size: () => { readonly columns: number; readonly rows: number };
}

/**
 * Shows Markdown while it arrives: text at once as it was written, and each block a second time, rendered in its
 * place, when the next block has begun. A block that has scrolled out of reach stays as it was written.
 */
export class MarkdownStream {
  readonly #options: MarkdownStreamOptions;
  /** Source of the unfinished block, all of it on the screen. */
  #open = '';

  constructor(options: MarkdownStreamOptions) {
    this.#options = options;
  }

  feed(text: string): void {
    this.#options.write(safeForTerminal(text));
    // A block begins where its line does: redrawn from the line break before it, it would erase what it follows.
    this.#open += this.#open === '' ? text.replace(/^[\r\n]+/, '') : text;
    // Only a line break can end a block, and reading the block anew for every word would cost its square.
    if (text.includes('\n')) this.#renderFinished();
  }

  /** Renders what is left. The next text begins a new block. */
  end(): void {
    const blocks = readBlocks(this.#open);
    if (this.#open !== '') this.#redraw(this.#open, blocks, '');
    this.#open = '';
  }

  /** Leaves everything as it is on the screen: something else is written behind it. */
  leave(): void {
    this.#open = '';
  }

  #renderFinished(): void {
    const blocks = readBlocks(this.#open);
    const last = blocks.at(-1);
    const finished = last?.type === 'space' ? blocks : blocks.slice(0, -1);
    if (!finished.some(({ type }) => type !== 'space')) return;
    const rest = last === undefined || last.type === 'space' ? '' : last.raw;
    // Source that marked normalises (tabs, CRLF) could not be cut by the lengths of its blocks.
    if (!this.#open.endsWith(rest)) return;
    this.#redraw(this.#open, finished, rest);
    this.#open = rest;
  }

  #redraw(source: string, blocks: ReturnType<typeof readBlocks>, rest: string): void {
    const { write, size, colors } = this.#options;
    const { columns, rows } = size();
    const up = rowsOf(safeForTerminal(source), columns) - 1;
    if (up >= rows) return;
    const shown = blocks.map((block) => rendered(block, colors)).join('');
    write(`\r${up > 0 ? `\u001B[${up}A` : ''}\u001B[J${shown}${safeForTerminal(rest)}`);
  }
}

/** A block with the line breaks that followed it: the distance between blocks is the author's. */
const rendered = (block: ReturnType<typeof readBlocks>[number], colors: Colors): string => {
  const breaks = /\n*$/.exec(block.raw)?.[0] ?? '';
  return block.type === 'space' ? block.raw : safeBlock(block, colors) + breaks;
};

/** Colours are added after the text was made safe, so the source is cleaned, not the result. */
const safeBlock = (block: ReturnType<typeof readBlocks>[number], colors: Colors): string => {
  const safe = safeForTerminal(block.raw);
  return safe === block.raw ? renderBlock(block, colors) : safe.replace(/\n*$/, '');
};
