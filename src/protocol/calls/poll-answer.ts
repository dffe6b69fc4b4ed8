import { canonicalJson } from './canonical-json.ts';

/** ISO 8601 date-times, clock times, and seconds or milliseconds since the epoch in the years 2020 to 2033. */
const TIMESTAMPS =
  /\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z| ?[+-]\d{2}:?\d{2})?|\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b|\b1[6-9]\d{8}(?:\d{3})?(?:\.\d+)?\b/g;

const DURATIONS =
  /\b\d+(?:\.\d+)? ?(?:milliseconds?|seconds?|minutes?|hours?|msecs?|secs?|mins?|hrs?|ms|s|m|h)\b/gi;
const REQUEST_IDS = /\b((?:request|trace|correlation|span)[-_ ]?id)\W{1,4}[\w-]+/gi;
const ATTEMPTS = /\b(?:attempts?|tries|try|retries|retry|polls?)\b\W{0,3}\d+/gi;

/** Fields that say when and how often was asked, not what came of it; `time` and the like go by their values. */
const CLOCK_FIELDS = new RegExp(
  [
    '^(?:request|trace|correlation|span)[-_]?id$',
    '^(?:attempts?|tries|retries|polls?)(?:[-_]?(?:count|number|made))?$',
    '^(?:elapsed|duration|uptime|took|age)(?:[-_]?(?:time|ms|millis|milliseconds|s|secs?|seconds|minutes))?$',
  ].join('|'),
  'i',
);

/** Tools often answer with JSON as text; its fields count like those of a structured answer. */
const structured = (value: unknown): unknown => {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
};

const without = (value: unknown, fields: ReadonlySet<string>): unknown => {
  if (Array.isArray(value)) return value.map((item) => without(item, fields));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !fields.has(key) && !CLOCK_FIELDS.test(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, without(item, fields)]));
};

/**
 * What two answers of a poll are compared by: the answer without timestamps, durations, request ids, counters of
 * attempts and the fields that the tool names volatile. A clock that ticks is no progress.
 */
export const comparableAnswer = (answer: unknown, volatileFields: readonly string[]): string =>
  canonicalJson(without(structured(answer), new Set(volatileFields)))
    .replace(TIMESTAMPS, '<time>')
    .replace(REQUEST_IDS, '$1 <id>')
    .replace(ATTEMPTS, '<attempt>')
    .replace(DURATIONS, '<duration>');
