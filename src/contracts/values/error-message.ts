/** Returns the text of a caught value: the message of an Error, otherwise the value as text. */
export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
