/**
 * Control characters, line and paragraph separators, those that turn the direction of what follows, and those that show
 * as nothing, whole sentences among them. Not the joiners and variations that scripts and emoji need.
 */
const UNPRINTABLE =
  /[[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]--[\u200c\u200d\p{Variation_Selector}]]/v;

/** Whether a name shows as another one, or does something, where it is printed. */
export const isUnprintable = (name: string): boolean => UNPRINTABLE.test(name);

/** A text with these characters as `\u202e` or `\u{e0041}`, so that one sees what is there. */
export const toPrintable = (text: string): string =>
  text.replaceAll(new RegExp(UNPRINTABLE, 'gv'), (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex}`;
  });
