import type { ContentRef, ReplacedText } from '../contracts/write-session/write-session.ts';

/** Returns a number of lines in words: `2,000 lines`, `1 line`. */
export const linesText = (lines: number): string =>
  `${String(lines).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')} ${lines === 1 ? 'line' : 'lines'}`;

/** Returns the line that later prompts hold instead of a file's text (docs/write-sessions.md "In a turn"). */
export const writtenLine = (target: string, content: ContentRef): string =>
  `[wrote ${target}: ${describeContent(content)}]`;

const describeContent = ({ lines, sha256 }: ContentRef): string => `${linesText(lines)}, sha256 ${sha256}`;

/** Returns the line that stands for a text which was not written to its file; counterpart of `writtenLine`. */
export const notWrittenLine = (target: string, content: ContentRef): string =>
  `[did not write ${target}: ${describeContent(content)}]`;

/** Returns the line that stands for a text of which nobody knows whether it was written to its file. */
export const mayHaveWrittenLine = (target: string, content: ContentRef): string =>
  `[may have written ${target}: ${describeContent(content)}]`;

/**
 * Returns an answer as later prompts contain it, with a line in place of each range. Ranges ascend and do not overlap.
 * A range that does not fit is ignored.
 */
export const withLines = (text: string, replaced: readonly ReplacedText[]): string => {
  let result = '';
  let index = 0;
  for (const { from, to, line } of replaced) {
    if (from < index || to < from || to > text.length) continue;
    result += text.slice(index, from) + line;
    index = to;
  }
  return result + text.slice(index);
};
