/**
 * Returns a text that UTF-8 and a Postgres `text` column can hold: NUL and lone surrogates, which neither can, become
 * U+FFFD. Any other text comes back unchanged.
 */
export const safeText = (text: string): string =>
  // Replaced run by run: binary data holds millions of NULs in a row, which one by one take seconds. A run without a
  // bound would overflow the stack of the regular expression.
  text.replace(/\0{1,4096}/g, (run) => '\uFFFD'.repeat(run.length)).toWellFormed();

/** Returns the length of `text` without the first half of a character whose second half may still come. */
export const wholeLength = (text: string): number => {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
};
