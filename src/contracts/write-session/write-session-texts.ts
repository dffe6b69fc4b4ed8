/** Texts of write sessions that clients rely on word by word (docs/write-sessions.md). */
export const WRITE_SESSION_TEXTS = {
  instruction:
    'Now output content. End with DONE on its own line. Write the content directly, with no explanation and no code fences.',
  idlePrompt: "If you're finished, reply DONE on its own line. Otherwise continue writing.",
  contentTooLarge: 'Content exceeds 10MB limit. Please reduce file size.',
  sessionActive: 'Another write session is already active. Please wait for it to complete.',
  sessionNotFound: 'Session not found or expired. Please start a new write session.',
  invalidOperation: "Invalid operation type. Must be 'create', 'overwrite', or 'append'.",
  targetRequired: 'Target file path is required.',
  internalError: 'An internal error occurred. Please try again.',
} as const;

/** Returns the message for content or a request that is refused. */
export const validationFailedText = (problems: string): string => `Validation failed: ${problems}`;

/**
 * The longest remark, in characters, that may follow a line `DONE`. If more text follows, that line is content and not
 * the end (docs/write-sessions.md "In a turn").
 */
export const MAX_REMARK_CHARACTERS = 300;
