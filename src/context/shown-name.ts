const MAX_CHARACTERS = 120;

/**
 * Text out of the workspace as it may stand in a line of the prompt: whoever can make a file chooses its name, and
 * a line break in it would begin a line that looks like ours.
 */
export const shownName = (text: string): string => {
  const oneLine = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
  return oneLine.length <= MAX_CHARACTERS ? oneLine : `${oneLine.slice(0, MAX_CHARACTERS).toWellFormed()}…`;
};
