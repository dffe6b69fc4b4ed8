/** Lines between which the first message of a turn tells its surroundings; no line between them begins like either. */
export const SURROUNDINGS = { begin: '[surroundings]', end: '[end of surroundings]' } as const;

/** What the person said: the message without the surroundings that it begins with, if it does. */
export const withoutSurroundings = (content: string): string => {
  if (!content.startsWith(`${SURROUNDINGS.begin}\n`)) return content;
  const end = content.indexOf(`\n${SURROUNDINGS.end}\n`);
  return end < 0 ? content : content.slice(end + SURROUNDINGS.end.length + 2).trimStart();
};
