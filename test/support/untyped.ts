/** Returns a value that somebody without our types could hand over; it is wrong on purpose. */
export const untyped = (value: unknown): never => value as never;
