/*
 * The text of a file as the model writes it into its answer (docs/write-sessions.md "In a turn"). All functions here
 * are pure.
 */
import { MAX_REMARK_CHARACTERS } from '../../contracts/write-session/done-line.ts';

/** The two parts of what the model has written: `text` comes before the line that ends the file, `remark` after it. */
export interface WrittenText {
  readonly text: string;
  readonly remark: string;
}

/**
 * Matches the end marker and the remark after it. If more follows than a remark may have, the line belongs to the file.
 */
const END_MARKER = new RegExp(
  String.raw`(?:^|\n)[ \t]*DONE[ \t]*(?:\r?\n([\s\S]{0,${MAX_REMARK_CHARACTERS}}))?$`,
);
/**
 * Number of characters at the end of a text that are searched for the end marker. It must leave room for the marker
 * before a remark of `MAX_REMARK_CHARACTERS`.
 */
const END_CHARACTERS = 400;

/**
 * Splits the text so far into the text of the file and the remark after its end marker. Without a marker, the remark is
 * empty. Blank lines at the beginning of the file and white space at its end are left out.
 */
export const splitWrittenText = (said: string): WrittenText => {
  const from = Math.max(0, said.length - END_CHARACTERS);
  const mark = END_MARKER.exec(said.slice(from));
  const text = mark === null ? said : said.slice(0, from + mark.index + 1);
  return { text: text.replace(/^\s*\n/, '').trimEnd(), remark: mark?.[1]?.trim() ?? '' };
};

const encoder = new TextEncoder();

/** Returns the number of bytes that a text has in a file. */
export const textBytes = (text: string): number => encoder.encode(text).byteLength;

/** Returns the last `count` lines of a text, and the number of all its lines. */
export const lastLines = (text: string, count: number): { readonly tail: string; readonly lines: number } => {
  let lines = 1;
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) lines += 1;
  let from = text.length;
  for (let left = count; left > 0 && from > 0; left -= 1) from = text.lastIndexOf('\n', from - 1);
  return { tail: from > 0 ? text.slice(from + 1) : text, lines: text === '' ? 0 : lines };
};
