/** Texts of write sessions that clients rely on word by word (docs/write-sessions.md). */
export const WRITE_SESSION_TEXTS = {
  instruction:
    'Now output content. End with DONE on its own line. Write the content directly, with no explanation and no code fences.',
  idlePrompt: "If you're finished, reply DONE on its own line. Otherwise continue writing.",
  /** Says 10MB whatever the limit is; `details` has the true one. */
  contentTooLarge: 'Content exceeds 10MB limit. Please reduce file size.',
  sessionActive: 'Another write session is already active. Please wait for it to complete.',
  sessionNotFound: 'Session not found or expired. Please start a new write session.',
  invalidOperation: "Invalid operation type. Must be 'create', 'overwrite', or 'append'.",
  targetRequired: 'Target file path is required.',
} as const;

/** Returns the message for content or a request that is refused. */
export const validationFailedText = (problems: string): string => `Validation failed: ${problems}`;

/**
 * The message of the failure with which the workflow of an expired session ends. The log of a worker recognises the
 * failure by it, because the SDK passes on only the message of an error, not its type.
 */
export const SESSION_EXPIRED =
  'Nothing was heard for too long: the session has expired and its file was not written.';
