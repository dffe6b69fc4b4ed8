/**
 * Control characters, line and paragraph separators, characters that change the direction of the text after them, and
 * invisible characters, which can hide whole sentences. Joiners and variation selectors are not among them, because
 * some scripts and emoji need them.
 */
const UNPRINTABLE =
  /[[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]--[\u200c\u200d\p{Variation_Selector}]]/v;

/**
 * Reports whether a name has characters that make it look like another name when it is printed, or that control a
 * terminal.
 */
export const isUnprintable = (name: string): boolean => UNPRINTABLE.test(name);

/**
 * Returns a text with its unprintable characters as escapes, such as `\u202e` or `\u{e0041}`, so that people see them.
 */
export const toPrintable = (text: string): string =>
  text.replaceAll(new RegExp(UNPRINTABLE, 'gv'), (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex}`;
  });
