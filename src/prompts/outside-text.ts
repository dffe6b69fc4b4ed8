const MAX_NAME_CHARACTERS = 120;

/**
 * Returns a text from outside Orion with each line indented by four blanks. Lone surrogates, and control characters
 * other than tabs and line breaks, become U+FFFD. Markdown takes indented lines for code, so none of them can look like
 * a line of Orion.
 */
export const indentedLines = (text: string): string =>
  text
    .toWellFormed()
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => `    ${line.replace(/[^\P{Cc}\t]/gu, '\ufffd')}`)
    .join('\n');

/**
 * Returns a text from the workspace as one line, with U+FFFD for control and format characters, cut after
 * `MAX_NAME_CHARACTERS`. Anybody who can create a file chooses its name, and a line break in it would begin a line that
 * looks like a line of Orion.
 */
export const shownName = (text: string): string => {
  const oneLine = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
  return oneLine.length <= MAX_NAME_CHARACTERS
    ? oneLine
    : `${oneLine.slice(0, MAX_NAME_CHARACTERS).toWellFormed()}…`;
};
