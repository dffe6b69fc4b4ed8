/* Finds the place from which on a text costs more than Markdown is worth. All functions here are pure. */

/** Levels of quotes and lists inside each other beyond which the Markdown parser runs out of stack. */
const MAX_LEVELS = 32;
/** Marks of a paragraph: each `_` or `*` is compared with all others, and 1,000 take some 10 ms. */
const MAX_MARKS = 1_000;
const MARKS = new Set('_*~`[]!<');
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Returns the index of the first paragraph that nests or marks more than a person writes, or the text's length if there
 * is none. From there on the text is shown as it is. Fenced code does not count.
 */
export const tooComplexFrom = (text: string): number => {
  let at = 0;
  let paragraph = 0;
  let marks = 0;
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const found = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (found?.startsWith(fence) === true) fence = undefined;
    } else if (line.trim() === '') {
      paragraph = at + line.length + 1;
      marks = 0;
    } else {
      fence = found;
      marks += marksIn(line);
      if (marks > MAX_MARKS || levelsOf(line) > MAX_LEVELS) return Math.min(paragraph, text.length);
    }
    at += line.length + 1;
  }
  return text.length;
};

const marksIn = (line: string): number => {
  let marks = 0;
  for (const character of line) if (MARKS.has(character)) marks += 1;
  return marks;
};

/** Begins a quote or a list item, after white space. */
const LEVEL = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))/y;

/** Counts levels: two columns of indentation, or one beginning of a quote or list. */
const levelsOf = (line: string): number => {
  let levels = 0;
  LEVEL.lastIndex = 0;
  while (LEVEL.test(line)) levels += 1;
  const indent = /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0;
  return levels + indent / 2;
};
