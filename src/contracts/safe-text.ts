/**
 * Text that UTF-8 and a Postgres `text` column can hold: NUL and lone surrogates, which neither can, become
 * U+FFFD. Any other text comes back unchanged.
 */
export const safeText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();
