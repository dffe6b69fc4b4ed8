/**
 * Indents the lines of a text that is not ours by four blanks, and removes characters that move a cursor. Indented text
 * is code whatever it says, so no line can look like one of ours.
 */
export const indentedLines = (text: string): string =>
  text
    .toWellFormed()
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => `    ${line.replace(/[^\P{Cc}\t]/gu, '\ufffd')}`)
    .join('\n');
