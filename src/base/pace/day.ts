/** Milliseconds of a day of UTC, which knows no other time in summer. */
export const DAY_MS = 86_400_000;
