/** What somebody without our types could hand over: wrong on purpose, and said so. */
export const untyped = (value: unknown): never => value as never;
