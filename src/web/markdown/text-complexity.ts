/* Finds the part of a text that would take too long to parse as Markdown. All functions here are pure. */

/**
 * Largest number of levels of quotes and lists within each other that is parsed as Markdown. Thousands of levels would
 * exhaust the stack of the parser.
 */
const MAX_LEVELS = 32;
/**
 * Largest number of marks in one paragraph that is parsed as Markdown. The parser compares each `_` or `*` with all
 * others, so 1,000 take some 10 ms.
 */
const MAX_MARKS = 1_000;
const MARKS = new Set('_*~`[]!<');
/** Matches a line that begins or ends a block of code. After backticks, another one would make it code in a line. */
const FENCE = /^ {0,3}(?:(`{3,})(?!.*`)|(~{3,}))/;

/**
 * Returns the index at which the first paragraph begins that has more levels than `MAX_LEVELS` or more marks than
 * `MAX_MARKS`. Returns the length of the text if there is none. Fenced code does not count.
 */
export const startOfTooComplexPart = (text: string): number => {
  let index = 0;
  let paragraph = 0;
  let marks = 0;
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const [, backticks, tildes] = FENCE.exec(line) ?? [];
    const fenceOfLine = backticks ?? tildes;
    if (fence !== undefined) {
      if (fenceOfLine?.startsWith(fence) === true) fence = undefined;
    } else if (line.trim() === '') {
      paragraph = index + line.length + 1;
      marks = 0;
    } else {
      fence = fenceOfLine;
      marks += marksIn(line);
      if (marks > MAX_MARKS || levelsOf(line) > MAX_LEVELS) return Math.min(paragraph, text.length);
    }
    index += line.length + 1;
  }
  return text.length;
};

const marksIn = (line: string): number => {
  let marks = 0;
  for (const character of line) if (MARKS.has(character)) marks += 1;
  return marks;
};

/** Matches the beginning of a quote or a list item, with the white space before it. */
const LEVEL = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))/y;

/**
 * Returns the number of levels of a line. Each beginning of a quote or list item is a level, and so are two columns of
 * indentation.
 */
const levelsOf = (line: string): number => {
  let levels = 0;
  LEVEL.lastIndex = 0;
  while (LEVEL.test(line)) levels += 1;
  const indent = /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0;
  return levels + indent / 2;
};
