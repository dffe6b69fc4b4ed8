/* Cuts Markdown into blocks, most of which do not change while an answer grows. All functions here are pure. */
import { Lexer, type Links, type Token, walkTokens } from 'marked';
import { startOfTooComplexPart } from './text-complexity.ts';

/**
 * A text with its top-level blocks. The first `settledLength` characters are those of `settledBlocks`, which are not
 * parsed again while the text grows, unless links lead elsewhere.
 */
export interface MarkdownBlocks {
  /** The text, whose lines end with `\n`. */
  readonly text: string;
  readonly blocks: readonly Token[];
  readonly settledLength: number;
  readonly settledBlocks: readonly Token[];
  /** The definitions of links (`[label]: address`) in the settled blocks, by label. */
  readonly settledLinks: Links;
  /** All definitions of links as JSON. Blocks with the same text look the same as long as this is the same. */
  readonly definitions: string;
  /** True if the text was parsed in one piece. */
  readonly isWhole: boolean;
}

/** The empty text and its blocks: the state before the first text. */
export const EMPTY_BLOCKS: MarkdownBlocks = {
  text: '',
  blocks: [],
  settledLength: 0,
  settledBlocks: [],
  settledLinks: {},
  definitions: '{}',
  isWhole: true,
};

/**
 * Returns the blocks of a text. If it continues the text of `before`, its settled blocks are taken over, and only the
 * text after them is parsed. A block is settled once a later block has a whole line. If the new text defines links, all
 * of the text is parsed again, because the links may be in settled blocks.
 */
export const splitBlocks = (before: MarkdownBlocks, received: string): MarkdownBlocks => {
  const text = withLineFeeds(received);
  if (text === before.text) return before;
  const { settledLength, settledBlocks, settledLinks, definitions } = text.startsWith(before.text)
    ? before
    : EMPTY_BLOCKS;
  const { blocks: newBlocks, links } = readBoundedBlocks(text.slice(settledLength), settledLinks);
  if (settledLength > 0 && JSON.stringify(links) !== definitions) return splitBlocks(EMPTY_BLOCKS, text);
  const newlySettled = newBlocks.slice(0, firstGrowing(newBlocks));
  const length = newlySettled.reduce((sum, { raw }) => sum + raw.length, 0);
  return {
    text,
    blocks: [...settledBlocks, ...newBlocks],
    settledLength: settledLength + length,
    settledBlocks: [...settledBlocks, ...newlySettled],
    settledLinks: pickLinks(links, settledLinks, newlySettled),
    definitions: JSON.stringify(links),
    isWhole: settledLength === 0,
  };
};

/**
 * Returns the blocks of a text that no longer grows. The text is parsed in one piece, because pieces that are parsed
 * one after the other may give other blocks.
 */
export const blocksOfWhole = (before: MarkdownBlocks, text: string): MarkdownBlocks =>
  before.isWhole && before.text === withLineFeeds(text) ? before : splitBlocks(EMPTY_BLOCKS, text);

/** Replaces other ends of lines, as the parser does. Otherwise its blocks would be shorter than their text. */
const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n');

/** Returns the links that were known before, and those of `links` that are defined in blocks. */
const pickLinks = (links: Links, known: Links, blocks: readonly Token[]): Links => {
  const labels = new Set(Object.keys(known));
  void walkTokens([...blocks], (token) => {
    if (token.type === 'def') labels.add(String(token['tag']));
  });
  return Object.fromEntries(Object.entries(links).filter(([label]) => labels.has(label)));
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
 * Returns the Markdown blocks of a text, whose links may lead to definitions in an earlier text (`known`), and all
 * definitions. If the text is too complex to parse from some paragraph on, it ends with one `PLAIN_TEXT` block.
 */
const readBoundedBlocks = (
  text: string,
  known: Links,
): { readonly blocks: readonly Token[]; readonly links: Links } => {
  const end = startOfTooComplexPart(text);
  const lexer = new Lexer();
  const { links } = lexer.tokens;
  for (const [label, link] of Object.entries(known)) links[label] = link;
  const parsed = lexer.lex(text.slice(0, end));
  const blocks = end === text.length ? parsed : [...parsed, { type: PLAIN_TEXT, raw: text.slice(end) }];
  return { blocks, links };
};
