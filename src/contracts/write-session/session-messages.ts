import { z } from 'zod';
import { type ContentRef, contentRefSchema, sessionIdSchema, type SessionStage } from './write-session.ts';

/** The reply that allows a commit of a session. */
export const commitApprovalSchema = z.object({
  inputId: z.string(),
  /**
   * SHA-256 of the target as it was shown, or null if there was no file. Absent if an earlier reply allowed the tool
   * for the rest of the turn, so that nothing was shown for this commit.
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

/**
 * Tells a session that a person is asked about its commit. Until `until`, in milliseconds since 1970, silence does
 * not count towards its expiry.
 */
export const sessionHoldSchema = z.object({ inputId: z.string(), until: z.number() });
export type SessionHold = z.infer<typeof sessionHoldSchema>;

/**
 * Tells a session that somebody is still writing, so that it expires later. `draft` is what a finalize without content
 * commits from now on.
 */
export const sessionTouchSchema = z.object({ draft: contentRefSchema.optional() });
export type SessionTouch = z.infer<typeof sessionTouchSchema>;

/** How a session ended. Its workflow returns this, and sends it to the turn that began the session, if a turn did. */
export const sessionEndedSchema = z.object({
  sessionId: sessionIdSchema,
  end: z.enum(['committed', 'cancelled', 'expired']),
  content: contentRefSchema.optional(),
});
export type SessionEnded = z.infer<typeof sessionEndedSchema>;

/** The result of a commit. A commit that is known to have failed leaves the target untouched and the session open. */
export type CommitOutcome =
  | { readonly kind: 'committed'; readonly content: ContentRef }
  | {
      readonly kind: 'failed';
      /**
       * `write_failed` has the file system's reason; `validation_failed` says that there is nothing to write, or that
       * the content is refused.
       */
      readonly code: 'write_failed' | 'validation_failed';
      /** Reason in words for the caller: file exists, missing file, no space … */
      readonly reason: string;
    };

/** A commit that failed, with the reason for the caller. */
export type CommitFailure = Extract<CommitOutcome, { kind: 'failed' }>;

/**
 * The outcome of a finalize: that of its commit, or why there was none. `ended` means that the session has ended
 * without a commit, or with other content.
 */
export type FinalizeOutcome =
  | CommitOutcome
  | { readonly kind: 'ended'; readonly stage: SessionStage }
  /**
   * The commit needs an approval and has none yet. `inputId` is the id of the request that waits for the reply. It is
   * absent while the text is still being written, because nobody has been asked yet.
   */
  | { readonly kind: 'approval_required'; readonly inputId?: string };
