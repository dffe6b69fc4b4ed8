/** A whole number with its thousands apart: `12,345`. */
export const countWords = (value: number): string => value.toLocaleString('en');
