import { canonicalJson } from '../../contracts/values/canonical-json.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';

/** ISO 8601 date-times, clock times, and seconds or milliseconds since 1970 in the years 2020 to 2033. */
const TIMESTAMPS =
  /\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z| ?[+-]\d{2}:?\d{2})?|\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b|\b1[6-9]\d{8}(?:\d{3})?(?:\.\d+)?\b/g;

const DURATIONS =
  /\b\d+(?:\.\d+)? ?(?:milliseconds?|seconds?|minutes?|hours?|msecs?|secs?|mins?|hrs?|ms|s|m|h)\b/gi;
const REQUEST_IDS = /\b((?:request|trace|correlation|span)[-_ ]?id)\W{1,4}[\w-]+/gi;
const ATTEMPTS = /\b(?:attempts?|tries|try|retries|retry|polls?)\b\W{0,3}\d+/gi;

/**
 * Names of fields that identify or time a request and do not say what it found: request ids, counters of attempts,
 * durations. Names such as `time` are not listed, because the timestamps in their values are left out anyway.
 */
const CLOCK_FIELDS = new RegExp(
  [
    '^(?:request|trace|correlation|span)[-_]?id$',
    '^(?:attempts?|tries|retries|polls?)(?:[-_]?(?:count|number|made))?$',
    '^(?:elapsed|duration|uptime|took|age)(?:[-_]?(?:time|ms|millis|milliseconds|s|secs?|seconds|minutes))?$',
  ].join('|'),
  'i',
);

type IsLeftOutField = (key: string) => boolean;

/**
 * Returns the form in which two results of a poll are compared `ignoring_timings`: without timestamps, durations,
 * request ids, counters of attempts and volatile fields.
 */
export const comparableResult = (result: unknown, volatileFields: readonly string[]): string => {
  const fields = new Set(volatileFields);
  return withoutTimestamps(result, (key) => fields.has(key) || CLOCK_FIELDS.test(key))
    .replace(REQUEST_IDS, '$1 <id>')
    .replace(ATTEMPTS, '<attempt>')
    .replace(DURATIONS, '<duration>');
};

/**
 * Returns the form in which two results of a poll are compared `including_timings`: without timestamps and volatile
 * fields, but with everything else. Results with the same form are also equal by `comparableResult`.
 */
export const comparableByTimestamps = (result: unknown, volatileFields: readonly string[]): string => {
  const fields = new Set(volatileFields);
  return withoutTimestamps(result, (key) => fields.has(key));
};

const withoutTimestamps = (result: unknown, isLeftOut: IsLeftOutField): string =>
  canonicalJson(withoutFields(parseIfJson(result), isLeftOut)).replace(TIMESTAMPS, '<time>');

const withoutFields = (value: unknown, isLeftOut: IsLeftOutField): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutFields(item, isLeftOut));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !isLeftOut(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutFields(item, isLeftOut)]));
};

/**
 * Parses a text that is JSON, as tools often return it, so that its fields count like those of a structured result.
 * Returns any other value as it is.
 */
const parseIfJson = (value: unknown): unknown => {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return parseJson(value) ?? value;
};
