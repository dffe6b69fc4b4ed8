/** Milliseconds of a minute. Periods in settings are multiples of it. */
export const MINUTE_MS = 60_000;

/** Milliseconds of a day in UTC, where every day is equally long. */
export const DAY_MS = 86_400_000;

/** Millionths in one unit of a currency. Amounts of money are whole numbers of them. */
export const MILLIONTHS = 1_000_000;

/** Bytes in a kibibyte. Limits of texts and files are multiples of it. */
export const KIB = 1_024;

/** Bytes in a mebibyte. Limits of files, buffers and the memory of processes are multiples of it. */
export const MIB = 1_024 * KIB;

/** Bytes in a gibibyte. Limits of commands are multiples of it. */
export const GIB = 1_024 * MIB;
