import { truncateToJsonBytes } from './json-text.ts';
import type { JsonValue } from '../../contracts/values/json-value.ts';

/** Returns the marker at the end of a text that was cut. `shown` and `total` are bytes in UTF-8. */
export const truncationMarker = (shown: number, total: number): string =>
  `… truncated, ${shown} of ${total} bytes shown`;

const MARKER_BYTES = Buffer.byteLength(
  `\n${truncationMarker(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)}`,
);

/** Counts the bytes in UTF-8 of a value as the model gets it: in indented JSON, as the field `result` of an object. */
export const shownBytes = (value: JsonValue): number =>
  Buffer.byteLength(JSON.stringify({ result: value }, null, 2));

/**
 * Returns the value itself if it takes at most `room` bytes as `shownBytes` counts them. Otherwise returns the value
 * with its longest text cut, wherever that occurs, if everything else takes at most half of `room`. If it takes more,
 * returns the beginning of the value's JSON as a text.
 */
export const limitJson = (value: JsonValue, room: number): JsonValue => {
  const whole = shownBytes(value);
  if (whole <= room) return value;
  const longest = longestText(value);
  const frame = whole - occurrences(value, longest) * (shownBytes(longest) - shownBytes(''));
  if (longest !== '' && frame <= room / 2) {
    const cut = replaceText(value, longest, cutText(longest, room - frame));
    if (shownBytes(cut) <= room) return cut;
  }
  return cutText(JSON.stringify(value), room - shownBytes(''));
};

/**
 * Returns the beginning of a text and a marker, which together take at most `room` bytes inside JSON. If `room` is
 * smaller than `MARKER_BYTES`, only the marker is returned, even if it takes more. No character is cut in two.
 */
const cutText = (text: string, room: number): string => {
  const shown = truncateToJsonBytes(text, room - MARKER_BYTES);
  return `${shown}\n${truncationMarker(Buffer.byteLength(shown), Buffer.byteLength(text))}`;
};

const longestText = (value: JsonValue): string => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value)
    .map(longestText)
    .reduce((longest, text) => (text.length > longest.length ? text : longest), '');
};

const occurrences = (value: JsonValue, text: string): number => {
  if (typeof value !== 'object' || value === null) return value === text ? 1 : 0;
  return Object.values(value).reduce<number>((sum, item) => sum + occurrences(item, text), 0);
};

const replaceText = (value: JsonValue, text: string, replacement: string): JsonValue => {
  if (value === text) return replacement;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => replaceText(item, text, replacement));
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, replaceText(field, text, replacement)]),
  );
};
