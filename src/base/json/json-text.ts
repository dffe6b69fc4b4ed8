/**
 * Matches characters that JSON may escape. With the flag `u`, `Surrogate` matches only surrogates without their other
 * half.
 */
const MAY_BE_ESCAPED = /["\\\p{Control}\p{Surrogate}]/gu;
const SHORT_ESCAPES = '"\\\b\f\n\r\t';

/** Counts the bytes of a text as JSON in UTF-8, without its quotes. It does not create the JSON. */
export const jsonTextBytes = (text: string): number => {
  let bytes = Buffer.byteLength(text);
  for (const [character] of text.matchAll(MAY_BE_ESCAPED)) bytes += extraBytesOf(character);
  return bytes;
};

/**
 * Returns the longest beginning of a text whose JSON form, without quotes, has at most `room` bytes. It has only whole
 * characters.
 */
export const truncateToJsonBytes = (text: string, room: number): string =>
  longestWithin(text, room, wholeCharacters);

/**
 * Returns a text whose JSON form, without quotes, has at most `room` bytes. Cuts a longer text as `truncateToJsonBytes`
 * does, and adds `…`, which is not counted.
 */
export const shortenToJsonBytes = (text: string, room: number): string => {
  const start = truncateToJsonBytes(text, room);
  return start === text ? text : `${start}…`;
};

/**
 * Returns the longest end of a text whose JSON form, without quotes, has at most `room` bytes. It has only whole
 * characters.
 */
export const endWithinJsonBytes = (text: string, room: number): string =>
  longestWithin(text, room, lastCharacters);

/**
 * Returns the number of bytes that JSON adds to a character by escaping it. `\n` takes two bytes instead of one,
 * `\u0001` six instead of one, and a lone surrogate six instead of the three of a replacement character.
 */
const extraBytesOf = (character: string): number => {
  if (SHORT_ESCAPES.includes(character)) return 1;
  if (character < ' ') return 5;
  return character < '\ud800' ? 0 : 3;
};

/**
 * Returns the longest piece of a text that fits into `room` bytes. `part` returns the piece with a given number of
 * UTF-16 units.
 */
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
    if (writtenJsonBytes(part(text, middle)) <= room) low = middle;
    else high = middle - 1;
  }
  return part(text, low);
};

/** Counts the same bytes as `jsonTextBytes` by creating the JSON, which is quicker if most characters are escaped. */
const writtenJsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

const wholeCharacters = (text: string, length: number): string => {
  const splitsPair = (text.codePointAt(length - 1) ?? 0) > 0xffff;
  return text.slice(0, splitsPair ? length - 1 : length);
};

/** Returns the end of a text, without half a character at its beginning. */
const lastCharacters = (text: string, length: number): string =>
  text.slice(text.length - length).replace(/^[\uDC00-\uDFFF]/, '');
