/**
 * Returns the value for use where another type is expected: it is wrong on purpose, as a caller without our types could
 * pass it.
 */
export const untyped = (value: unknown): never => value as never;
