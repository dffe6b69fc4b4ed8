/*
 * The text of a file as the model writes it into its answer (docs/write-sessions.md "In a turn"). All functions here
 * are pure.
 */
import { readContent } from '../../write-session/session-text.ts';
import { TEXT_SEPARATOR, withoutSeparator } from '../../write-session/text-separator.ts';

/** The two parts of what the model has written: `text` comes before the line that ends the file, `remark` after it. */
export interface WrittenText {
  readonly text: string;
  readonly remark: string;
}

/**
 * Splits the text so far into the text of the file and the remark after its end marker. Both are as the turn would read
 * them if the answer ended here. Without a marker, the remark is empty. A separator before the text is left out.
 */
export const splitWrittenText = (written: string): WrittenText => {
  const { text, remark } = readContent([{ text: withoutSeparator(written, TEXT_SEPARATOR), end: 'ended' }]);
  return { text, remark };
};

const encoder = new TextEncoder();

/** Returns the number of bytes that a text has in a file. */
export const textBytes = (text: string): number => encoder.encode(text).byteLength;

/**
 * Returns the last `count` lines of a text, and the number of all its lines. A final line break ends the last line and
 * starts none.
 */
export const lastLines = (text: string, count: number): { readonly tail: string; readonly lines: number } => {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  let lines = 1;
  for (let index = text.indexOf('\n'); index >= 0 && index < end; index = text.indexOf('\n', index + 1)) {
    lines += 1;
  }
  let from = end;
  for (let remaining = count; remaining > 0 && from > 0; remaining -= 1) {
    from = text.lastIndexOf('\n', from - 1);
  }
  return { tail: from > 0 ? text.slice(from + 1) : text, lines: text === '' ? 0 : lines };
};
