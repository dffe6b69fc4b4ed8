/** A whole number with its thousands apart: `12,345`. */
export const countWords = (value: number): string => value.toLocaleString('en');

/** A whole with the part of it that is told apart: `12, 3 of it failed`. */
export const partWords = (whole: string, part: string, name: string): string =>
  `${whole}, ${part} of it ${name}`;
