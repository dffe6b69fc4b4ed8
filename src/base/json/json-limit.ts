import { truncateToJsonBytes } from './json-text.ts';
import type { JsonValue } from '../../contracts/values/json-value.ts';

/** Returns the marker at the end of a text that was cut. */
export const truncationMarker = (shown: number, total: number): string =>
  `… truncated, ${shown} of ${total} bytes shown`;

const MARKER_BYTES = Buffer.byteLength(
  `\n${truncationMarker(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)}`,
);

/** Counts the bytes of a value in UTF-8, in the form in which the model gets it: pretty JSON, as a field of the box. */
export const shownBytes = (value: JsonValue): number =>
  Buffer.byteLength(JSON.stringify({ result: value }, null, 2));

/**
 * Returns the value itself if it takes at most `room` bytes as `shownBytes` counts them. Otherwise its longest text is
 * cut; where that is not enough (many small fields), the value becomes the cut text of its JSON.
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
 * The longest beginning of a text that takes at most `room` bytes inside JSON, marker included. Never ends
 * inside a character.
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
