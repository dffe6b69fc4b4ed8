/* Cuts Markdown into blocks, most of which do not change while an answer grows. All functions here are pure. */
import { Lexer, type Token } from 'marked';
import { startOfTooComplexPart } from './text-complexity.ts';

/**
 * A text with its top-level blocks. The first `settled` characters are those of `settledBlocks`, which are not parsed
 * again while the text grows.
 */
export interface MarkdownBlocks {
  readonly text: string;
  readonly blocks: readonly Token[];
  readonly settled: number;
  readonly settledBlocks: readonly Token[];
}

/** The empty text and its blocks: the state before the first text. */
export const emptyBlocks: MarkdownBlocks = { text: '', blocks: [], settled: 0, settledBlocks: [] };

/**
 * Returns the blocks of `text`. If it continues the text of `before`, its settled blocks are taken over, and only the
 * text after them is parsed. A block is settled once a later block has a whole line.
 */
export const splitBlocks = (before: MarkdownBlocks, text: string): MarkdownBlocks => {
  if (text === before.text) return before;
  const { settled, settledBlocks } = text.startsWith(before.text) ? before : emptyBlocks;
  const fresh = readBoundedBlocks(text.slice(settled));
  const done = fresh.slice(0, firstGrowing(fresh));
  const length = done.reduce((sum, { raw }) => sum + raw.length, 0);
  return {
    text,
    blocks: [...settledBlocks, ...fresh],
    settled: settled + length,
    settledBlocks: [...settledBlocks, ...done],
  };
};

/**
 * Returns the index of the first block that may still change. That is the last block, or the one before it as long as
 * the last one is an unfinished line. For example, `****` is a rule, but `**** no` would continue a paragraph before
 * it.
 */
const firstGrowing = (blocks: readonly Token[]): number => {
  const isText = ({ type }: Token): boolean => type !== 'space';
  const last = blocks.findLastIndex(isText);
  if (last <= 0 || blocks[last]?.raw.includes('\n') === true) return Math.max(last, 0);
  return Math.max(blocks.slice(0, last).findLastIndex(isText), 0);
};

/** The type of a block that Markdown does not have: text that is shown as it is. */
export const PLAIN_TEXT = 'plain';

/**
 * Returns the Markdown blocks of a text. If the text is too complex to parse from some paragraph on, it ends with one
 * `PLAIN_TEXT` block.
 */
const readBoundedBlocks = (text: string): readonly Token[] => {
  const end = startOfTooComplexPart(text);
  const parsed = new Lexer().lex(text.slice(0, end));
  return end === text.length ? parsed : [...parsed, { type: PLAIN_TEXT, raw: text.slice(end) }];
};
