/** The first words of the system prompt of a call that summarises: the demo model recognises the call by them. */
export const SUMMARY_PROMPT_START = 'You write summaries of conversations';

/**
 * The lines before and after the surroundings in the first message of a turn. No line of the surroundings begins like
 * either of these two.
 */
export const SURROUNDINGS_MARKS = { begin: '[surroundings]', end: '[end of surroundings]' } as const;

/** The beginning of a prompt's first message if earlier messages are left out. */
export const LEFT_OUT_MARK = '[Earlier messages of this conversation are left out:';

/**
 * Returns a user's own words: `content` without the surroundings in front of them, and without the text in front of the
 * surroundings that says what the prompt leaves out (`LEFT_OUT_MARK`). That text may contain a summary, whose lines are
 * indented, so that none of them is mistaken for a mark.
 */
export const withoutSurroundings = (content: string): string => {
  const begin = `${SURROUNDINGS_MARKS.begin}\n`;
  const start = content.startsWith(LEFT_OUT_MARK) ? content.indexOf(`\n${begin}`) + 1 : 0;
  if (!content.startsWith(begin, start)) return content;
  const end = content.indexOf(`\n${SURROUNDINGS_MARKS.end}\n`);
  return end < 0 ? content : content.slice(end + SURROUNDINGS_MARKS.end.length + 2).trimStart();
};
