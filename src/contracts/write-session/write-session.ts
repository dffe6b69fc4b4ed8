import { z } from 'zod';
import { atMostBytes } from '../values/at-most-bytes.ts';

/**
 * What a commit does with its target: `create` makes the file, which must not exist. `overwrite` replaces the file, or
 * makes it. `append` adds to the end of the file, which must exist.
 */
export const writeOperationSchema = z.enum(['create', 'overwrite', 'append']);
export type WriteOperation = z.infer<typeof writeOperationSchema>;

/** Id of a write session: a UUID, which also names its workflow. */
export const sessionIdSchema = z.uuid();

/**
 * Largest size of a path in bytes: PATH_MAX of Linux. The purpose has the same bound, since both are stored in
 * histories and rows.
 */
const MAX_TEXT_BYTES = 4_096;

const shortText = z.string().superRefine(atMostBytes(MAX_TEXT_BYTES));

/** The purpose of a file, in the words of the client that begins the session. */
export const intentSchema = shortText;

/** The path of the target as it was sent: relative to the workspace, not checked yet. */
export const targetFileSchema = shortText;

/** Content in the content store, named by its hash, so that histories need not contain the text. */
export const contentRefSchema = z.object({
  /** Lower-case hex; also the name of the stored file. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits'),
  /** Size of the text. Blank content is refused, so a commit with 0 bytes was requested explicitly. */
  bytes: z.number().int().nonnegative(),
  /** Number of lines; a final line break ends the last line and starts none. */
  lines: z.number().int().nonnegative(),
});
export type ContentRef = z.infer<typeof contentRefSchema>;

/**
 * The stages of a session. `awaiting_content` and `committing` are open, and every session ends in one of the others.
 */
export const sessionStageSchema = z.enum([
  'awaiting_content',
  'committing',
  'committed',
  'cancelled',
  'expired',
]);
export type SessionStage = z.infer<typeof sessionStageSchema>;
/** A final stage of a write session, which it never leaves. */
export type SessionEnd = Extract<SessionStage, 'committed' | 'cancelled' | 'expired'>;

/**
 * The range of a turn's text that was the content of a file, and the line that replaces it in later prompts. Offsets
 * are in characters (UTF-16 units).
 */
export const replacedTextSchema = z.object({
  from: z.number().int().nonnegative(),
  /** Offset of the first character after the range. */
  to: z.number().int().nonnegative(),
  line: z.string(),
});
export type ReplacedText = z.infer<typeof replacedTextSchema>;

/** Result of the `sessionStatus` query. Times are milliseconds since 1970. */
export interface SessionStatus {
  readonly stage: SessionStage;
  readonly createdAt: number;
  readonly lastActivity: number;
  readonly expiresAt: number;
  /** The content that a finalize without content would commit. Null means that it would commit the draft file. */
  readonly draft: ContentRef | null;
}
