/**
 * Control characters, line and paragraph separators, characters that change the direction of what follows, and
 * invisible ones, which can hide whole sentences. Not the joiners and variations that scripts and emoji need.
 */
const UNPRINTABLE =
  /[[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]--[\u200c\u200d\p{Variation_Selector}]]/v;

/** Tells if a name, when printed, would look like another one or do something. */
export const isUnprintable = (name: string): boolean => UNPRINTABLE.test(name);

/** Returns a text with these characters as `\u202e` or `\u{e0041}`, so that they can be seen. */
export const toPrintable = (text: string): string =>
  text.replaceAll(new RegExp(UNPRINTABLE, 'gv'), (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex}`;
  });
