/**
 * The sentence for a failure of the server whose cause is not said, as `internal_error` and `write_failed` have it.
 * Clients rely on it word by word.
 */
export const INTERNAL_ERROR_TEXT = 'An internal error occurred. Please try again.';
