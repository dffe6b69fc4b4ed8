/** Characters that JSON may escape; with `u` only surrogates that have no other half. */
const MAY_BE_ESCAPED = /["\\\p{Control}\p{Surrogate}]/gu;
const SHORT_ESCAPES = '"\\\b\f\n\r\t';

/** Bytes that an escape adds: `\n` to one byte, `\u0001` to one, `\ud83d` to a replacement character's three. */
const escapeBytes = (character: string): number => {
  if (SHORT_ESCAPES.includes(character)) return 1;
  if (character < ' ') return 5;
  return character < '\ud800' ? 0 : 3;
};

/** Bytes of a text's characters as JSON in UTF-8, without its quotes, counted without making the JSON. */
export const jsonTextBytes = (text: string): number => {
  let bytes = Buffer.byteLength(text);
  for (const [character] of text.matchAll(MAY_BE_ESCAPED)) bytes += escapeBytes(character);
  return bytes;
};

/**
 * Returns the longest beginning of a text whose JSON form, without quotes, has at most `room` bytes; only whole
 * characters.
 */
export const truncateToJsonBytes = (text: string, room: number): string =>
  longestWithin(text, room, wholeCharacters);

/**
 * Returns the longest end of a text whose JSON form, without quotes, has at most `room` bytes; only whole characters.
 */
export const endWithinJsonBytes = (text: string, room: number): string =>
  longestWithin(text, room, lastCharacters);

/** `part`: returns the piece of a text with a given number of its UTF-16 units. */
const longestWithin = (
  text: string,
  room: number,
  part: (text: string, length: number) => string,
): string => {
  let low = 0;
  // Every UTF-16 unit takes at least one byte.
  let high = Math.min(text.length, Math.max(room, 0));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (escapedBytes(part(text, middle)) <= room) low = middle;
    else high = middle - 1;
  }
  return part(text, low);
};

/** Counts the bytes of `jsonTextBytes` by making the JSON, which is quicker where most characters are escaped. */
const escapedBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

const wholeCharacters = (text: string, length: number): string => {
  const splitsPair = (text.codePointAt(length - 1) ?? 0) > 0xffff;
  return text.slice(0, splitsPair ? length - 1 : length);
};

/** The end of a text, without the second half of a character at its beginning. */
const lastCharacters = (text: string, length: number): string =>
  text.slice(text.length - length).replace(/^[\uDC00-\uDFFF]/, '');
