/** Control characters, line and paragraph separators, and those that turn the direction of what follows. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;

/** True for a name that shows as another one, or does something, where it is printed. */
export const isUnprintable = (name: string): boolean => UNPRINTABLE.test(name);

/** A text with these characters as `\u202e`, so that one sees what is there. */
export const printable = (text: string): string =>
  text.replaceAll(
    new RegExp(UNPRINTABLE, 'gu'),
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
