/** Whatever JSON may escape; with `u` only the surrogates that have no other half. */
const MAY_BE_ESCAPED = /["\\\p{Control}\p{Surrogate}]/gu;
const SHORT_ESCAPES = '"\\\b\f\n\r\t';

/** How much longer the escape is: `\n` than one byte, `\u0001` than one, `\ud83d` than a replacement character's three. */
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
