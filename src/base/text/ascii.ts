/** The byte that no path contains, nor any text that Orion stores. A file that contains it is taken for binary. */
export const NUL = 0;

/** The byte of `\n`, which ends a line. */
export const LF = 0x0a;

/** The byte of `\r`, which precedes `LF` in files whose lines end in both. */
export const CR = 0x0d;

/** The byte of a space. All bytes below it are control characters. */
export const SPACE = 0x20;

/** The byte of `"`, which begins and ends a text of JSON. */
export const QUOTE = 0x22;

/** The byte of a comma, which separates the items of JSON. */
export const COMMA = 0x2c;

/** The byte of a colon, which ends the name of a field of JSON. */
export const COLON = 0x3a;

/** The byte of a backslash, which begins an escape in a text of JSON. */
export const BACKSLASH = 0x5c;

/** The bytes of opening brackets, which begin an array or an object of JSON. */
export const OPENING_BRACKETS: ReadonlySet<number> = new Set([0x5b, 0x7b]);

/** The bytes of closing brackets, which end an array or an object of JSON. */
export const CLOSING_BRACKETS: ReadonlySet<number> = new Set([0x5d, 0x7d]);
