/* Numbers in words: counts, durations and sizes. */

/** Formats a whole number with separated thousands: `12,345`. */
export const numberWords = (value: number): string => value.toLocaleString('en');

/** Formats a number of lines: `1 line`, `12,345 lines`. */
export const lineWords = (lines: number): string => `${numberWords(lines)} ${lines === 1 ? 'line' : 'lines'}`;

/** Formats a whole with one of its parts: `12, 3 of it failed`. */
export const partWords = (whole: string, part: string, name: string): string =>
  `${whole}, ${part} of it ${name}`;

/** Formats milliseconds: `12 ms`, `3.4 s`, `2 min 5 s`. */
export const durationWords = (milliseconds: number): string => {
  // The bounds are those of the rounded value, which would otherwise be `1000 ms` or `60.0 s`.
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

/** Formats bytes for a person to read: `345 B`, `5.0 KiB`. */
export const byteWords = (bytes: number): string => {
  if (bytes < 1_024) return `${numberWords(bytes)} B`;
  const kib = bytes / 1_024;
  // From here on, `tenths` would round up to 1,024.0 KiB.
  return kib < 1_023.95 ? `${tenths(kib)} KiB` : `${tenths(kib / 1_024)} MiB`;
};

const tenths = (value: number): string =>
  value.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
