import wrapAnsi from 'wrap-ansi';

/** Matches letters of scripts without blanks between their words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** Fewest columns for text. If the indentation leaves less, the text goes over the edge of the terminal. */
const MIN_COLUMNS = 10;
/** Matches the blanks at the beginning of a line, after colours that begin there. */
const INDENT = /^((?:\u001b\[[\d;]*m)*)( *)/;

/**
 * Breaks each line of a text between its words, so that a terminal shows it whole. The rows of a line are indented like
 * the first one. A word longer than a row is left to the terminal, so that it can be copied, except in scripts without
 * blanks.
 */
export const wrapWords = (text: string, columns: number): string =>
  text
    .split('\n')
    .map((line) => wrappedLine(line, columns))
    .join('\n');

const wrappedLine = (line: string, columns: number): string => {
  const [start, colors = '', indent = ''] = INDENT.exec(line) ?? [''];
  const content = line.slice(start.length);
  const width = Math.max(MIN_COLUMNS, columns - indent.length);
  return (
    indent +
    wrapAnsi(colors + content, width, { hard: UNSPACED.test(content) }).replaceAll('\n', `\n${indent}`)
  );
};
