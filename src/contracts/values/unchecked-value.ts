/** The fields of an object whose shape has not been checked. */
export type Fields = Readonly<Record<string, unknown>>;

/** Reports whether a value is an object with fields, which null and arrays are not. */
export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a value of unknown shape if it is an object with fields, otherwise an empty object. */
export const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});

/**
 * Reports whether a JSON value has at most `depth` levels of objects and arrays, the outermost included. Recursive
 * readers would exhaust the stack on deeply nested values.
 */
export const isShallow = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
};

/** Returns a value of unknown shape if it is a text, otherwise the empty text. */
export const stringOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');
