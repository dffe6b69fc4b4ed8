import type { z } from 'zod';
import { expectationOf, valueAt } from '../../base/errors/zod-issue.ts';
import type { ValidationDetail } from '../../contracts/http/errors.ts';
import { ApiError } from '../errors/api-error.ts';

/** Longest piece of a client's value that an error repeats. */
const ECHO_CHARACTERS = 80;

/** Returns all problems of a request in one line: field, what was expected, what came. */
export const describeProblems = (details: readonly ValidationDetail[]): string =>
  details.map((d) => `${d.field}: expected ${d.expected}, received ${d.received}`).join('; ');

/** Returns the 400 `validation_failed`, with every problem that the schema found. */
export const validationFailed = (details: readonly ValidationDetail[]): ApiError =>
  new ApiError('validation_failed', `Invalid request: ${describeProblems(details)}.`, { details });

/**
 * Parses a part of a request. Throws `validation_failed` with every problem, in the words of `refuse`. `part` names the
 * part itself. `prefix` precedes the names of its fields.
 */
export const parseRequest = <T>(
  schema: z.ZodType<T>,
  input: unknown,
  part: string,
  { prefix = '', refuse = validationFailed } = {},
): T => {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw refuse(result.error.issues.map((issue) => toDetail(issue, input, part, prefix)));
};

/** Returns a value as it is repeated to the client: short, on one line, never a whole text. */
export const describeValue = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  // Only the part that is shown is escaped: a whole body would take its time.
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, ECHO_CHARACTERS) : value);
  return text.length > ECHO_CHARACTERS ? `${text.slice(0, ECHO_CHARACTERS)}…` : text;
};

/** Describes the value that came instead, or its size where it was too large. */
const receivedBy = (issue: z.core.$ZodIssue, value: unknown): string => {
  if (issue.code === 'custom' && typeof issue.params?.['received'] === 'string') {
    return issue.params['received'];
  }
  return issue.code === 'too_big' && Array.isArray(value)
    ? `an array of ${value.length}`
    : describeValue(value);
};

const toDetail = (
  issue: z.core.$ZodIssue,
  input: unknown,
  part: string,
  prefix: string,
): ValidationDetail => ({
  field: issue.path.length === 0 ? part : `${prefix}${issue.path.join('.')}`,
  expected: expectationOf(issue),
  received: receivedBy(issue, valueAt(input, issue.path)),
});
