import { z } from 'zod';
import { type ContentRef, contentRefSchema, sessionIdSchema, type SessionStage } from './write-session.ts';

/** The reply that allows a commit of a session. */
export const commitApprovalSchema = z.object({
  inputId: z.string(),
  /**
   * SHA-256 of the target as it was shown, null: there was no file. Absent for a later commit of a turn whose commits
   * were all allowed.
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

/** The message to a session about whose commit a person is asked. `until` is in milliseconds since the epoch. */
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

/** The result of a commit; a failed one leaves the target untouched and the session open. */
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

/** Why a commit came to nothing, for the caller to know. */
export type CommitFailure = Extract<CommitOutcome, { kind: 'failed' }>;

/** Answer of a finalize: the commit's outcome, or that the session has ended and with another content. */
export type FinalizeOutcome =
  | CommitOutcome
  | { readonly kind: 'ended'; readonly stage: SessionStage }
  /**
   * The commit has not been allowed. `inputId` is the request that waits for a reply. Absent while the text is being
   * written.
   */
  | { readonly kind: 'approval_required'; readonly inputId?: string };
