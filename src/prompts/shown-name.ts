const MAX_CHARACTERS = 120;

/**
 * Returns a text from the workspace as one line, with U+FFFD for control and format characters, cut after 120
 * characters. Anybody who can create a file chooses its name, and a line break in it would begin a line that looks like
 * a line of Orion.
 */
export const shownName = (text: string): string => {
  const oneLine = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
  return oneLine.length <= MAX_CHARACTERS ? oneLine : `${oneLine.slice(0, MAX_CHARACTERS).toWellFormed()}…`;
};
