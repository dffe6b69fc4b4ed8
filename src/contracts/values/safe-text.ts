/**
 * Returns a text that UTF-8 and a Postgres `text` column can hold: NUL and lone surrogates become U+FFFD, everything
 * else stays.
 */
export const safeText = (text: string): string =>
  // Binary data has millions of NULs in a row. Replacing them one by one would take seconds, so runs are replaced. A
  // run without a bound would overflow the stack of the regular expression.
  text.replace(/\0{1,4096}/g, (run) => '\uFFFD'.repeat(run.length)).toWellFormed();

/** Returns the length of `text` without a high surrogate at its end, whose second half may still come. */
export const wholeLength = (text: string): number => {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
};
