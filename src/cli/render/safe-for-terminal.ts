// eslint-disable-next-line no-control-regex
const CONTROL = /\r(?!\n)|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;

/**
 * Text of a model or a file without the control characters that would move the cursor, set the window's title
 * or paste into the shell. Line breaks and tabs stay.
 */
export const safeForTerminal = (text: string): string => text.replace(CONTROL, '\uFFFD');
