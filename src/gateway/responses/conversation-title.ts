/** Largest length of a title with its ellipsis, in UTF-16 units. */
const TITLE_CHARACTERS = 60;

/** Returns the first words of a text on one line. A word is cut only if it is the first one and too long. */
export const conversationTitleOf = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= TITLE_CHARACTERS) return line;
  const cut = line.slice(0, TITLE_CHARACTERS);
  const lastBlank = cut.lastIndexOf(' ');
  return `${(lastBlank > 0 ? cut.slice(0, lastBlank) : cut.slice(0, -1)).toWellFormed()}…`;
};
