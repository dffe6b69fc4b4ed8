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
