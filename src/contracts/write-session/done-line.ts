/**
 * The longest remark, in characters, that may follow a line `DONE`. If more text follows, that line is content and not
 * the end (docs/write-sessions.md "In a turn").
 */
export const MAX_REMARK_CHARACTERS = 300;
