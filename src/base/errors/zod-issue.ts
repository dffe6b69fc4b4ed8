import type { z } from 'zod';

/** Returns the value that an issue of zod is about, or undefined if there is none. */
export const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );

/** The words of a line about an issue that depend on what is read. */
export interface IssueWords {
  /** The fields that there may be, for an issue about other ones. */
  readonly fields: string;
  /** What is expected. Absent means what `expectationOf` says. */
  readonly expected?: string;
  /** What was received. Absent means the value as JSON. */
  readonly received?: string;
}

/**
 * Returns a line that tells a person about an issue of zod: its place in the input, what was expected, and what was
 * received, as in `[0] › name: expected a string, received 7`.
 */
export const issueLine = (
  issue: z.core.$ZodIssue,
  input: unknown,
  { fields, expected = expectationOf(issue), received = jsonText(valueAt(input, issue.path)) }: IssueWords,
): string => {
  const parts = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : String(part)));
  const place = parts.length === 0 ? '' : `${parts.join(' › ')}: `;
  return issue.code === 'unrecognized_keys'
    ? `${place}expected ${fields} only, received ${issue.keys.join(', ')}`
    : `${place}expected ${expected}, received ${received}`;
};

const jsonText = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** The types of zod in words for people. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

/** What a bound of zod counts, by the type of the value. A number has no unit: the bound is a limit of its value. */
const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

/**
 * Returns what an issue of zod expects, in words for people and without the word "expected": `a string`, `"a" or "b"`,
 * `at most 64 items`, or else the issue's own message.
 */
export const expectationOf = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.map((value) => JSON.stringify(value)).join(' or ');
    case 'too_small':
      return boundOf(issue, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return boundOf(issue, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    default:
      return ownMessageOf(issue);
  }
};

/** Returns a bound in words, unless its schema has a message of its own. */
const boundOf = (
  issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  comparison: string,
  bound: number | bigint,
): string => {
  if (!/^Too (?:big|small)\b/.test(issue.message)) return ownMessageOf(issue);
  const unit = UNITS[issue.origin];
  if (unit === undefined) return `${comparison} ${bound}`;
  return `${comparison} ${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`;
};

const ownMessageOf = ({ message }: z.core.$ZodIssue): string => message.replace(/^expected /, '');
