import { MAX_REMARK_CHARACTERS } from '../../contracts/write-session/write-session-texts.ts';

/*
 * The text of a file as the model writes it into its answer (docs/write-sessions.md "In a turn"). All functions here
 * are pure.
 */

/** The text before the line that ends the file, and the model's words after it. */
export interface WrittenText {
  readonly text: string;
  readonly remark: string;
}

/** The marker, and what counts as a remark after it. If there is more, the line belongs to the file. */
const END = new RegExp(String.raw`(?:^|\n)[ \t]*DONE[ \t]*(?:\r?\n([\s\S]{0,${MAX_REMARK_CHARACTERS}}))?$`);
/** Characters of the end that are looked at. */
const END_CHARACTERS = 400;

/** Splits the text of a file so far from the remark after its end marker; without a marker there is no remark. */
export const splitWrittenText = (said: string): WrittenText => {
  const from = Math.max(0, said.length - END_CHARACTERS);
  const mark = END.exec(said.slice(from));
  const text = mark === null ? said : said.slice(0, from + mark.index + 1);
  return { text: text.replace(/^\s*\n/, '').trimEnd(), remark: mark?.[1]?.trim() ?? '' };
};

const encoder = new TextEncoder();

/** Returns the size of a text in a file, in bytes. */
export const textBytes = (text: string): number => encoder.encode(text).byteLength;

/** Returns the last lines of a text, and how many it has. */
export const lastLines = (text: string, count: number): { readonly tail: string; readonly lines: number } => {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  let from = text.length;
  for (let left = count; left > 0 && from > 0; left -= 1) from = text.lastIndexOf('\n', from - 1);
  return { tail: from > 0 ? text.slice(from + 1) : text, lines: text === '' ? 0 : lines };
};
