/* Finds the part of a text that would take too long to parse as Markdown. All functions here are pure. */
import { Lexer, type Token } from 'marked';

/**
 * Largest number of levels of quotes and lists within each other that is parsed as Markdown. Thousands of levels would
 * exhaust the stack of the parser.
 */
const MAX_LEVELS = 32;
/**
 * Largest number of marks in one piece of text (a paragraph, a list item, a cell) that is parsed as Markdown. The
 * parser compares each `_` or `*` with all others, so 1,000 take some 10 ms.
 */
const MAX_MARKS = 1_000;
const MARKS = new Set('_*~`[]!<');

/**
 * Returns the index at which the first paragraph begins that has more levels than `MAX_LEVELS`, or the first block with
 * a piece of text that has more marks than `MAX_MARKS`. Returns the length of the text if there is neither. Lines of
 * the text end with `\n`.
 */
export const startOfTooComplexPart = (text: string): number => {
  const end = startOfTooDeepParagraph(text);
  return marksIn(text) > MAX_MARKS ? startOfTooMarkedBlock(text.slice(0, end)) : end;
};

const startOfTooDeepParagraph = (text: string): number => {
  let index = 0;
  let paragraph = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') paragraph = index + line.length + 1;
    else if (levelsOf(line) > MAX_LEVELS) return paragraph;
    index += line.length + 1;
  }
  return text.length;
};

/** Matches the beginning of a quote or a list item, with the white space before it. */
const LEVEL = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))/y;

/**
 * Returns the number of levels of a line. Each beginning of a quote or list item is a level, and so are two columns of
 * indentation before the first of them. A line without such a beginning opens no level.
 */
const levelsOf = (line: string): number => {
  let levels = 0;
  LEVEL.lastIndex = 0;
  while (LEVEL.test(line)) levels += 1;
  if (levels === 0) return 0;
  const indent = /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0;
  return levels + indent / 2;
};

/**
 * Returns the index of the first block with a piece of text that has too many marks, or the length of the text. Only
 * the parser knows which marks are in code, so it is asked for the blocks. That takes no longer with many marks: the
 * parser compares them only when it parses the texts within the blocks.
 */
const startOfTooMarkedBlock = (text: string): number => {
  let index = 0;
  for (const block of new Lexer().blockTokens(text, [])) {
    if (isTooMarked(block)) return index;
    index += block.raw.length;
  }
  return text.length;
};

const isTooMarked = ({ raw }: Token): boolean => {
  if (marksIn(raw) <= MAX_MARKS) return false;
  const lexer = new Lexer();
  lexer.blockTokens(raw, lexer.tokens);
  return lexer.inlineQueue.some(({ src }) => marksIn(src) > MAX_MARKS);
};

const marksIn = (text: string): number => {
  let marks = 0;
  for (const character of text) if (MARKS.has(character)) marks += 1;
  return marks;
};
