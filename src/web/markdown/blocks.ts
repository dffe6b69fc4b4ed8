/* Markdown in blocks that do not change while an answer grows. All functions here are pure. */
import { Lexer, type Token } from 'marked';
import { tooComplexFrom } from './text-complexity.ts';

/** A text cut into its top-level blocks; `settled` characters of it are in blocks that no further text changes. */
export interface MarkdownBlocks {
  readonly text: string;
  readonly blocks: readonly Token[];
  readonly settled: number;
  readonly settledBlocks: readonly Token[];
}

/** The beginning of every text: no text, and no blocks of it. */
export const noBlocks: MarkdownBlocks = { text: '', blocks: [], settled: 0, settledBlocks: [] };

/**
 * Blocks of `text`. Where it continues the text of `before`, settled blocks are taken over and only the rest is read:
 * a block is settled once another one has a whole line after it.
 */
export const splitBlocks = (before: MarkdownBlocks, text: string): MarkdownBlocks => {
  if (text === before.text) return before;
  const { settled, settledBlocks } = text.startsWith(before.text) ? before : noBlocks;
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

/** An unfinished line may still turn out to belong to the block before: `****` is a rule, `**** no` is not. */
const firstGrowing = (blocks: readonly Token[]): number => {
  const isText = ({ type }: Token): boolean => type !== 'space';
  const last = blocks.findLastIndex(isText);
  if (last <= 0 || blocks[last]?.raw.includes('\n') === true) return Math.max(last, 0);
  return Math.max(blocks.slice(0, last).findLastIndex(isText), 0);
};

/** A kind of block that Markdown does not have: text that is shown as it is. */
export const PLAIN = 'plain';

/** Returns the Markdown tokens of a text; from where it is too complex to parse, the rest is one token. */
const readBoundedBlocks = (text: string): readonly Token[] => {
  const end = tooComplexFrom(text);
  const tame = new Lexer().lex(text.slice(0, end));
  return end === text.length ? tame : [...tame, { type: PLAIN, raw: text.slice(end) }];
};
