import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import {
  intentSchema,
  sessionStageSchema,
  targetFileSchema,
  writeOperationSchema,
} from '../write-session/write-session.ts';

const operation = writeOperationSchema.describe(
  '`create`: the file must not exist yet. `overwrite`: replaces it. `append`: adds to its end.',
);
const targetFile = z.string().describe('Path of the file, relative to the workspace.');
const stage = sessionStageSchema.describe(
  'Stage of the session. `awaiting_content` and `committing` are open; the others are final.',
);
const createdAt = z.string().describe('When the session began, in ISO 8601.');
const expiresAt = z
  .string()
  .describe('When the session expires, in ISO 8601. Content and drafts postpone it.');

/** What is expected of the target of a session, in the words of errors. */
export const TARGET_EXPECTATION = 'a path that is not blank';

/** Body of `POST /api/write-session/begin`, with aliases of `projectId` already replaced (docs/write-sessions.md). */
export const beginBodySchema = z.object({
  intent: intentSchema.default('').describe('Purpose of the file, in your words.'),
  target_file: targetFileSchema
    .refine((path) => path.trim() !== '', `expected ${TARGET_EXPECTATION}`)
    .describe('Path of the file, relative to the workspace.'),
  operation,
  projectId: idSchema.default('default'),
});
export type BeginBody = z.infer<typeof beginBodySchema>;

/** Response to `POST /api/write-session/begin`: the session waits for its content. */
export const beginResponseSchema = z.object({
  session_id: z.string(),
  stage,
  instruction: z.string().describe('The next step, in words for a model.'),
  target_file: targetFile,
  operation,
  expires_at: expiresAt,
});
export type BeginResponse = z.infer<typeof beginResponseSchema>;

/**
 * Body of `POST /api/write-session/finalize`.
 *
 * - `content` is read as a stream.
 * - `draft: true` without `content` commits what was sent as drafts, or stored by the turn that began the session.
 * - `empty: true` makes an empty file. Blank content is refused, because in most cases the text was lost.
 */
export const finalizeBodySchema = z.object({
  session_id: z.string(),
  content: z.string().optional().describe('Content of the file.'),
  draft: z
    .boolean()
    .optional()
    .describe(
      'With true and without `content`, writes what was sent as drafts, or stored by the turn that began the session.',
    ),
  empty: z
    .boolean()
    .optional()
    .describe(
      'With true, makes an empty file. Blank content never does, because it is more often text that was lost.',
    ),
});

/** The result of a finalize for the one file of its session. */
const writeResultSchema = z.object({
  operation_index: z.number().int().nonnegative().describe('Always 0: a session writes one file.'),
  type: operation,
  target_file: targetFile,
  status: z.literal('success'),
  bytes: z.number().int().describe('Bytes of the content that was sent. After an append the file is longer.'),
  lines: z.number().int().describe('Lines of the content that was sent.'),
  sha256: z.string().describe('SHA-256 of the content that was sent, in hexadecimal.'),
  error: z.null().describe('Always null: a failure has an error response.'),
});

/** Response to a finalize that has committed. */
export const finalizeResponseSchema = z.object({
  intent: z.string().describe('Purpose of the file, as the session was begun with.'),
  results: z.array(writeResultSchema).describe('Always one element: a session writes one file.'),
});
export type FinalizeResponse = z.infer<typeof finalizeResponseSchema>;

/** Response to `POST /api/write-session/:session_id/draft`: how many bytes are stored now. */
export const draftResponseSchema = z.object({
  offset: z
    .number()
    .int()
    .nonnegative()
    .describe('Bytes stored so far: the `Upload-Offset` of the next chunk.'),
});
export type DraftResponse = z.infer<typeof draftResponseSchema>;

/**
 * The id of a session, for the routes without an id in their path: the status route has it in the query, the delete
 * route in its body or query.
 */
export const sessionReferenceSchema = z.object({ session_id: z.string() });

/** Response to `GET /api/write-session/status`, with the id in the query or in the path. */
export const writeSessionStatusSchema = z.object({
  session_id: z.string(),
  stage,
  target_file: targetFile,
  operation,
  created_at: createdAt,
  last_activity: z.string().describe('When the session last received content, in ISO 8601.'),
  expires_at: expiresAt,
  draft_bytes: z.number().int().describe('Bytes that a finalize with `draft` would write.'),
  target_bytes: z
    .number()
    .int()
    .nullable()
    .optional()
    .describe('Bytes of the file as it is now. Null if it does not exist, absent if it cannot be read.'),
});
export type WriteSessionStatus = z.infer<typeof writeSessionStatusSchema>;

/**
 * Response to `GET /api/write-session/:session_id/target`: the present content of the file that an open session will
 * write.
 */
export const writeSessionTargetSchema = z.object({
  target_file: targetFile,
  operation,
  text: z
    .string()
    .nullable()
    .optional()
    .describe('Content of the file as it is now. Null if it does not exist.'),
  reason: z.string().optional().describe('Why there is no `text`. Present only without it.'),
});
export type WriteSessionTarget = z.infer<typeof writeSessionTargetSchema>;

/** Response to `DELETE /api/write-session/:session_id` and of `POST /api/write-session/:session_id/undo`. */
export const writeSessionMessageSchema = z.object({
  message: z.string().describe('What was done, as a sentence for people.'),
});
export type WriteSessionMessage = z.infer<typeof writeSessionMessageSchema>;

/** Query of `GET /api/write-session`: the project whose sessions are listed. */
export const writeSessionQuerySchema = z.object({ projectId: idSchema.default('default') });

/** Response to `GET /api/write-session`: open and recent sessions of a project, newest first. */
export const writeSessionListSchema = z.object({
  sessions: z
    .array(
      z.object({
        session_id: z.string(),
        stage,
        target_file: targetFile,
        operation,
        created_at: createdAt,
        ended_at: z
          .string()
          .nullable()
          .describe('When the session ended, in ISO 8601. Null while it is open.'),
        undone_at: z
          .string()
          .nullable()
          .describe('When its change was undone, in ISO 8601. Null if it was not.'),
      }),
    )
    .describe('Open and recent sessions, newest first.'),
});
export type WriteSessionList = z.infer<typeof writeSessionListSchema>;
