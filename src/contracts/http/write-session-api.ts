import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import {
  intentSchema,
  sessionStageSchema,
  targetFileSchema,
  writeOperationSchema,
} from '../write-session/write-session.ts';

/** Body of `POST /api/write-session/begin`, with aliases of `projectId` already folded (docs/write-sessions.md). */
export const beginBodySchema = z.object({
  intent: intentSchema.default(''),
  /** Relative to the workspace. */
  target_file: targetFileSchema.refine((path) => path.trim() !== '', 'expected a path that is not blank'),
  operation: writeOperationSchema,
  projectId: idSchema.default('default'),
});
export type BeginBody = z.infer<typeof beginBodySchema>;

/** The path, relative to the workspace. */
export const beginAnswerSchema = z.object({
  session_id: z.string(),
  stage: sessionStageSchema,
  /** The next step, in words for a model. */
  instruction: z.string(),
  target_file: z.string(),
  operation: writeOperationSchema,
  /** ISO 8601; content and drafts put it off. */
  expires_at: z.string(),
});
export type BeginAnswer = z.infer<typeof beginAnswerSchema>;

/**
 * Body of `POST /api/write-session/finalize`. `content` is read as a stream; `draft: true` instead of it commits what
 * was sent as drafts, or stored by the turn that began the session; `empty: true` makes an empty file, which blank
 * content never does, since that is more often text that was lost.
 */
export const finalizeBodySchema = z.object({
  session_id: z.string(),
  content: z.string().optional(),
  draft: z.boolean().optional(),
  empty: z.boolean().optional(),
});

/** The result for one file. */
const writeResultSchema = z.object({
  operation_index: z.number().int().nonnegative(),
  type: writeOperationSchema,
  target_file: z.string(),
  status: z.literal('success'),
  /** Size of the content that was sent; an append leaves a longer file. */
  bytes: z.number().int(),
  lines: z.number().int(),
  sha256: z.string(),
  error: z.null(),
});

/** Answer of a finalize that has committed. */
export const finalizeAnswerSchema = z.object({
  intent: z.string(),
  /** The list always has one element: a session writes one file. */
  results: z.array(writeResultSchema),
});
export type FinalizeAnswer = z.infer<typeof finalizeAnswerSchema>;

/** Answer of `POST /api/write-session/:session_id/draft`: bytes stored, the `Upload-Offset` of the next chunk. */
export const draftAnswerSchema = z.object({ offset: z.number().int().nonnegative() });
export type DraftAnswer = z.infer<typeof draftAnswerSchema>;

/** A session named outside the path: query of status, body of delete. */
export const sessionReferenceSchema = z.object({ session_id: z.string() });

/** Answer of the status route; times are ISO 8601. */
export const writeSessionStatusSchema = z.object({
  session_id: z.string(),
  stage: sessionStageSchema,
  target_file: z.string(),
  operation: writeOperationSchema,
  created_at: z.string(),
  last_activity: z.string(),
  expires_at: z.string(),
  /** Size of what a finalize without content would commit. */
  draft_bytes: z.number().int(),
  /** Size of the file as it stands, which an overwrite would replace; null when there is none. */
  target_bytes: z.number().int().nullable().optional(),
});
export type WriteSessionStatus = z.infer<typeof writeSessionStatusSchema>;

/** Answer of `GET /api/write-session/:session_id/target`: the file that an open session writes, as it stands. */
export const writeSessionTargetSchema = z.object({
  target_file: z.string(),
  operation: writeOperationSchema,
  text: z.string().nullable().optional().describe('What the file holds; null: there is none.'),
  reason: z.string().optional().describe('Why there is no `text`.'),
});
export type WriteSessionTarget = z.infer<typeof writeSessionTargetSchema>;

/** Answer of `DELETE /api/write-session/:session_id` and of `POST …/undo`. */
export const writeSessionMessageSchema = z.object({ message: z.string() });
export type WriteSessionMessage = z.infer<typeof writeSessionMessageSchema>;

/** Query of `GET /api/write-session`: the project whose sessions are listed. */
export const writeSessionQuerySchema = z.object({ projectId: idSchema.default('default') });

/** Answer of `GET /api/write-session`: open and recent sessions of a project, newest first. */
export const writeSessionListSchema = z.object({
  sessions: z.array(
    z.object({
      session_id: z.string(),
      stage: sessionStageSchema,
      target_file: z.string(),
      operation: writeOperationSchema,
      created_at: z.string(),
      ended_at: z.string().nullable(),
      undone_at: z.string().nullable(),
    }),
  ),
});
export type WriteSessionList = z.infer<typeof writeSessionListSchema>;
