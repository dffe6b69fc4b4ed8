/** The state of the workspace that the model was told of, in this turn or in earlier ones that its prompt holds. */
export interface ToldSurroundings {
  /** Paths, two levels deep. */
  readonly files: readonly string[];
  /** SHA-256 of the project's instructions. Null if there are none. */
  readonly instructions: string | null;
  /** Lines that name the skills of the project. */
  readonly skills: readonly string[];
}

/** Lines between which the first message of a turn tells its surroundings; no line between them begins like either. */
export const SURROUNDINGS_MARKS = { begin: '[surroundings]', end: '[end of surroundings]' } as const;

/** The beginning of a prompt's first message when earlier ones are left out. */
export const LEFT_OUT_MARK = '[Earlier messages of this conversation are left out:';

/**
 * Returns the person's own words: the message without the surroundings before it, and without the text that precedes
 * these in a prompt which leaves out earlier messages. The lines of a summary there are indented.
 */
export const withoutSurroundings = (content: string): string => {
  const begin = `${SURROUNDINGS_MARKS.begin}\n`;
  const start = content.startsWith(LEFT_OUT_MARK) ? content.indexOf(`\n${begin}`) + 1 : 0;
  if (!content.startsWith(begin, start)) return content;
  const end = content.indexOf(`\n${SURROUNDINGS_MARKS.end}\n`);
  return end < 0 ? content : content.slice(end + SURROUNDINGS_MARKS.end.length + 2).trimStart();
};
