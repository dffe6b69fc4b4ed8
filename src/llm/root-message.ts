interface ErrorLike {
  readonly message?: unknown;
  readonly cause?: unknown;
  /** Of an AggregateError: one per address that was tried. */
  readonly errors?: readonly unknown[];
}

const isObject = (value: unknown): value is ErrorLike => typeof value === 'object' && value !== null;

/** The innermost cause says what happened (`connect ECONNREFUSED …`), the outer ones only that it did. */
export function rootMessage(error: unknown): string {
  if (!isObject(error)) return String(error);
  const inner = isObject(error.cause) ? error.cause : error.errors?.find(isObject);
  return inner ? rootMessage(inner) : String(error.message);
}
