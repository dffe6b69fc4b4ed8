import type { z } from 'zod';

/** Returns the value that an issue of zod is about, or undefined if there is none. */
export const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );

/**
 * Returns what an issue of zod expects, without the word "expected": `string`, `"a" or "b"`, or else the issue's own
 * message.
 */
export const expectationOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'invalid_type') return issue.expected;
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value)).join(' or ');
  // For a bound, zod writes "Too big: expected array to have <=64 items".
  return issue.message.replace(/^(?:Too (?:big|small): )?expected /, '');
};
