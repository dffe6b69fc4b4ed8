import { z } from 'zod';
import { atMostBytes } from './at-most-bytes.ts';

/** `create`: the target must not be there yet. */
export const writeOperationSchema = z.enum(['create', 'overwrite', 'append']);
export type WriteOperation = z.infer<typeof writeOperationSchema>;

/** Id of a write session: a UUID, which also names its workflow. */
export const sessionIdSchema = z.uuid();

/** PATH_MAX of Linux, and a purpose is a sentence: both travel in histories, rows and traces. */
const MAX_TEXT_BYTES = 4_096;

const shortText = z.string().superRefine(atMostBytes(MAX_TEXT_BYTES));

/** The purpose of a file, in the words of the client that begins the session. */
export const intentSchema = shortText;

/** The path of the target as it is asked for: relative to the workspace, not judged yet. */
export const targetFileSchema = shortText;

/** Workflow id of a write session, which follows from the session's id alone. */
export const writeSessionWorkflowId = (sessionId: string): string => `write-session/${sessionId}`;

/** Content in the content store: named by its hash, so the text itself never enters a history. */
export const contentRefSchema = z.object({
  /** Lower-case hex; also the name of the stored file. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits'),
  /** 0 only where an empty file was asked for in so many words. */
  bytes: z.number().int().nonnegative(),
  /** A final line break ends the last line and starts none. */
  lines: z.number().int().nonnegative(),
});
export type ContentRef = z.infer<typeof contentRefSchema>;

/** `awaiting_content` and `committing` are open, the others final: each session reaches one of them once. */
export const sessionStageSchema = z.enum([
  'awaiting_content',
  'committing',
  'committed',
  'cancelled',
  'expired',
]);
export type SessionStage = z.infer<typeof sessionStageSchema>;
/** A stage in which a write session stays: it is never left again. */
export type SessionEnd = Extract<SessionStage, 'committed' | 'cancelled' | 'expired'>;

/** The reply that lets a commit of a session run. */
export const commitApprovalSchema = z.object({
  inputId: z.string(),
  /**
   * SHA-256 of the target as it was shown, null: there was none. Absent: a later commit of a turn whose commits were
   * all allowed.
   */
  before: contentRefSchema.shape.sha256.nullable().optional(),
});
export type CommitApproval = z.infer<typeof commitApprovalSchema>;

/** Body of a finalize; without `content` the session's durable draft is committed. */
export const finalizeRequestSchema = z.object({
  content: contentRefSchema.optional(),
  approval: commitApprovalSchema.optional(),
});
export type FinalizeRequest = z.infer<typeof finalizeRequestSchema>;

/** The message to a session whose commit somebody is asked about; `until`: milliseconds since the epoch. */
export const sessionHoldSchema = z.object({ inputId: z.string(), until: z.number() });
export type SessionHold = z.infer<typeof sessionHoldSchema>;

/** `draft`: what a finalize without content commits from now on. */
export const sessionTouchSchema = z.object({ draft: contentRefSchema.optional() });
export type SessionTouch = z.infer<typeof sessionTouchSchema>;

/** The message to the turn that began the session, when the session has ended. */
export const sessionEndedSchema = z.object({
  sessionId: sessionIdSchema,
  end: z.enum(['committed', 'cancelled', 'expired']),
  content: contentRefSchema.optional(),
});
export type SessionEnded = z.infer<typeof sessionEndedSchema>;

/** Characters of a reply that were a file, and the line that stands for them in later prompts. */
export const replacedTextSchema = z.object({
  from: z.number().int().nonnegative(),
  /** The first character after the range. */
  to: z.number().int().nonnegative(),
  line: z.string(),
});
export type ReplacedText = z.infer<typeof replacedTextSchema>;

/** The result of a commit; a failed one leaves the target untouched and the session open. */
export type CommitOutcome =
  | { readonly kind: 'committed'; readonly content: ContentRef }
  | {
      readonly kind: 'failed';
      /** `write_failed`: the file system's reason; `validation_failed`: nothing to write or content that is refused. */
      readonly code: 'write_failed' | 'validation_failed';
      /** Reason in words for the caller: file exists, missing file, no space … */
      readonly reason: string;
    };

/** Answer of a finalize: the commit's, or the session has ended and this content is not what it ended with. */
export type FinalizeOutcome =
  | CommitOutcome
  | { readonly kind: 'ended'; readonly stage: SessionStage }
  /** Nobody has allowed it. `inputId`: the request that waits for a reply; absent while the text is being written. */
  | { readonly kind: 'approval_required'; readonly inputId?: string };

/** Answer of the `sessionStatus` query. Times are milliseconds since the epoch. */
export interface SessionStatus {
  readonly stage: SessionStage;
  readonly createdAt: number;
  readonly lastActivity: number;
  readonly expiresAt: number;
  /** Reference of the draft that a finalize without content would commit, if the turn has set one. */
  readonly draft: ContentRef | null;
}
