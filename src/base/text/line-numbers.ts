/**
 * Returns the text with a number and a tab before each line. The first number is `first`. A final line break begins no
 * new line.
 */
export const withLineNumbers = (text: string, first: number): string =>
  linesOf(text)
    .map((line, i) => `${first + i}\t${line}`)
    .join('');

/**
 * Removes the number and the tab from the beginning of each line, as `withLineNumbers` adds them. A line without them
 * stays as it is.
 */
export const withoutLineNumbers = (text: string): string =>
  linesOf(text)
    .map((line) => line.replace(/^\d+\t/, ''))
    .join('');

/** Returns the lines of a text, each with its line break. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
