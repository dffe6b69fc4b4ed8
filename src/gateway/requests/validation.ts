import type { z } from 'zod';
import { expectationOf, valueAt } from '../../base/errors/zod-issue.ts';
import type { ValidationDetail } from '../../contracts/http/errors.ts';
import { ApiError } from '../errors/api-error.ts';

/** Largest number of characters of a client's value that an error repeats. */
const ECHO_CHARACTERS = 80;

/** Returns the problems of a request as one line: for each the field, what was expected and what was received. */
export const describeProblems = (details: readonly ValidationDetail[]): string =>
  details
    .map(({ field, expected, received }) => `${field}: expected ${expected}, received ${received}`)
    .join('; ');

/** Returns the 400 `validation_failed` that lists these problems. */
export const validationError = (details: readonly ValidationDetail[]): ApiError =>
  new ApiError('validation_failed', `Invalid request: ${describeProblems(details)}.`, { details });

/**
 * Parses a part of a request. Throws the error that `toError` makes of all problems, by default `validation_failed`. A
 * problem of the part as a whole names `part` as its field. `prefix` precedes the names of all other fields.
 */
export const parseRequest = <T>(
  schema: z.ZodType<T>,
  input: unknown,
  part: string,
  { prefix = '', toError = validationError } = {},
): T => {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw toError(result.error.issues.map((issue) => toDetail(issue, input, part, prefix)));
};

/** Returns a value as it is repeated to the client, short and on one line. */
export const describeValue = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  // Only the part that is shown is escaped, since escaping a whole body would take long.
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, ECHO_CHARACTERS) : value);
  return text.length > ECHO_CHARACTERS ? `${text.slice(0, ECHO_CHARACTERS)}…` : text;
};

const toDetail = (
  issue: z.core.$ZodIssue,
  input: unknown,
  part: string,
  prefix: string,
): ValidationDetail => ({
  field: issue.path.length === 0 ? part : `${prefix}${issue.path.join('.')}`,
  expected: expectationOf(issue),
  received: describeReceived(issue, valueAt(input, issue.path)),
});

/**
 * Describes the value that was received: as the schema says, by its size if it is an array that is too large, otherwise
 * as `describeValue` does.
 */
const describeReceived = (issue: z.core.$ZodIssue, value: unknown): string => {
  if (issue.code === 'custom' && typeof issue.params?.['received'] === 'string') {
    return issue.params['received'];
  }
  return issue.code === 'too_big' && Array.isArray(value)
    ? `an array of ${value.length}`
    : describeValue(value);
};
