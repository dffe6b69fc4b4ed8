/** Milliseconds of a day of UTC, which knows no other time in summer. */
export const DAY_MS = 86_400_000;

/** Amounts of money are counted in millionths of the currency, which are whole numbers. */
export const MILLIONTHS = 1_000_000;

/** The number of bytes in a kibibyte, in which sizes of texts are told. */
export const KIB = 1_024;
