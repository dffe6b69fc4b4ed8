const MAX_CHARACTERS = 120;

/**
 * Makes a text from the workspace fit for a line of the prompt. Anybody who can make a file chooses its name, and a
 * line break in it would begin a line that looks like ours.
 */
export const shownName = (text: string): string => {
  const oneLine = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
  return oneLine.length <= MAX_CHARACTERS ? oneLine : `${oneLine.slice(0, MAX_CHARACTERS).toWellFormed()}…`;
};
