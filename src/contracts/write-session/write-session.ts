import { z } from 'zod';
import { atMostBytes } from '../values/at-most-bytes.ts';

/** `create`: the target must not exist yet. */
export const writeOperationSchema = z.enum(['create', 'overwrite', 'append']);
export type WriteOperation = z.infer<typeof writeOperationSchema>;

/** Id of a write session: a UUID, which also names its workflow. */
export const sessionIdSchema = z.uuid();

/** Bytes of a path: PATH_MAX of Linux. The purpose has the same bound, since both are stored in histories and rows. */
const MAX_TEXT_BYTES = 4_096;

const shortText = z.string().superRefine(atMostBytes(MAX_TEXT_BYTES));

/** The purpose of a file, in the words of the client that begins the session. */
export const intentSchema = shortText;

/** The path of the target as it was sent: relative to the workspace, not checked yet. */
export const targetFileSchema = shortText;

/** Returns the workflow id of a write session, which depends only on the session's id. */
export const writeSessionWorkflowId = (sessionId: string): string => `write-session/${sessionId}`;

/** Content in the content store, named by its hash, so that the text itself never enters a history. */
export const contentRefSchema = z.object({
  /** Lower-case hex; also the name of the stored file. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits'),
  /** The size is 0 only when an empty file was requested explicitly. */
  bytes: z.number().int().nonnegative(),
  /** Number of lines; a final line break ends the last line and starts none. */
  lines: z.number().int().nonnegative(),
});
export type ContentRef = z.infer<typeof contentRefSchema>;

/** `awaiting_content` and `committing` are open, the others final: each session reaches one final stage, once. */
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

/** Characters of a reply that were a file, and the line that replaces them in later prompts. */
export const replacedTextSchema = z.object({
  from: z.number().int().nonnegative(),
  /** The first character after the range. */
  to: z.number().int().nonnegative(),
  line: z.string(),
});
export type ReplacedText = z.infer<typeof replacedTextSchema>;

/** Answer of the `sessionStatus` query. Times are milliseconds since the epoch. */
export interface SessionStatus {
  readonly stage: SessionStage;
  readonly createdAt: number;
  readonly lastActivity: number;
  readonly expiresAt: number;
  /** Reference of the draft that a finalize without content would commit, if the turn has set one. */
  readonly draft: ContentRef | null;
}
