/** Formats a whole number with separated thousands: `12,345`. */
export const countWords = (value: number): string => value.toLocaleString('en');

/** Formats a number of lines: `1 line`, `12,345 lines`. */
export const lineWords = (lines: number): string => `${countWords(lines)} ${lines === 1 ? 'line' : 'lines'}`;

/** Formats a whole with one of its parts: `12, 3 of it failed`. */
export const partWords = (whole: string, part: string, name: string): string =>
  `${whole}, ${part} of it ${name}`;
