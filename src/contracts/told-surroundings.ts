/** The state of the workspace that the model was told of, in this turn or in those that its prompt holds. */
export interface ToldSurroundings {
  /** Paths, two levels deep. */
  readonly files: readonly string[];
  /** SHA-256 of the project's instructions; null: there are none. */
  readonly instructions: string | null;
  /** Lines that name the skills of the project. */
  readonly skills: readonly string[];
}

/** Lines between which the first message of a turn tells its surroundings; no line between them begins like either. */
export const SURROUNDINGS = { begin: '[surroundings]', end: '[end of surroundings]' } as const;

/** The person's own words: the message without the surroundings before it, if there are any. */
export const withoutSurroundings = (content: string): string => {
  if (!content.startsWith(`${SURROUNDINGS.begin}\n`)) return content;
  const end = content.indexOf(`\n${SURROUNDINGS.end}\n`);
  return end < 0 ? content : content.slice(end + SURROUNDINGS.end.length + 2).trimStart();
};
