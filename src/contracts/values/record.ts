/** The fields of an object that has not been checked. */
export type Fields = Readonly<Record<string, unknown>>;

/** Tells if a value is an object with fields: no array, and not null. */
export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the fields of a value of unknown shape; none when it is no object. */
export const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});

/** Returns a value of unknown shape if it is a text, otherwise the empty text. */
export const stringOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');
