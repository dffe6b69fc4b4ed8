import { z } from 'zod';
import { idSchema } from './ids.ts';

export const writeOperationSchema = z.enum(['create', 'overwrite', 'append']);
export type WriteOperation = z.infer<typeof writeOperationSchema>;

export const sessionIdSchema = z.uuid();

/** PATH_MAX of Linux, and a purpose is a sentence: both travel in histories, rows and traces. */
const MOST_TEXT_BYTES = 4_096;

const shortText = z
  .string()
  .refine(
    (text) => new TextEncoder().encode(text).byteLength <= MOST_TEXT_BYTES,
    `expected at most ${MOST_TEXT_BYTES} bytes of UTF-8`,
  );

/** What a file is for, as whoever begins says it. */
export const intentSchema = shortText;

/** As it is asked for. */
export const targetFileSchema = shortText;

/** Workflow id of a write session. */
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
export type SessionEnd = Extract<SessionStage, 'committed' | 'cancelled' | 'expired'>;

/** Input of `writeSessionWorkflow` and the `start_input` column of its row. */
export const writeSessionInputSchema = z.object({
  revision: z.literal(1),
  sessionId: sessionIdSchema,
  projectId: idSchema,
  /** As it was asked for; relative to the workspace, `/`-separated. */
  targetFile: z.string().min(1),
  operation: writeOperationSchema,
  intent: z.string(),
  inactivityTimeoutMs: z.number().int().positive(),
  /** The turn that began the session: its workflow is told the end. */
  turnId: idSchema.optional(),
  /** The namespace has Orion's search attributes. */
  searchAttributes: z.boolean(),
});
export type WriteSessionInput = z.infer<typeof writeSessionInputSchema>;

/** Without `content` the session's durable draft is committed. */
export const finalizeRequestSchema = z.object({ content: contentRefSchema.optional() });
export type FinalizeRequest = z.infer<typeof finalizeRequestSchema>;

/** `draft`: what a finalize without content commits from now on. */
export const sessionTouchSchema = z.object({ draft: contentRefSchema.optional() });
export type SessionTouch = z.infer<typeof sessionTouchSchema>;

/** What a commit came to; a failed one leaves the target untouched and the session open. */
export const commitOutcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('committed'), content: contentRefSchema }),
  z.object({
    kind: z.literal('failed'),
    /** `write_failed`: the file system's reason; `validation_failed`: nothing to write or content that is refused. */
    code: z.enum(['write_failed', 'validation_failed']),
    /** For the caller: file exists, missing file, no space … */
    reason: z.string(),
  }),
]);
export type CommitOutcome = z.infer<typeof commitOutcomeSchema>;

/** Answer of a finalize: the commit's, or the session has ended and this content is not what it ended with. */
export const finalizeOutcomeSchema = z.discriminatedUnion('kind', [
  ...commitOutcomeSchema.options,
  z.object({ kind: z.literal('ended'), stage: sessionStageSchema }),
]);
export type FinalizeOutcome = z.infer<typeof finalizeOutcomeSchema>;

/** Answer of the `sessionStatus` query. Times are milliseconds since the epoch. */
export interface SessionStatus {
  readonly stage: SessionStage;
  readonly createdAt: number;
  readonly lastActivity: number;
  readonly expiresAt: number;
  /** Reference of the draft that a finalize without content would commit, if the turn has set one. */
  readonly draft: ContentRef | null;
}

/** What a commit is about to do; stored in the row before the target is touched. */
export const writePlanSchema = z.object({
  /** The target before: hash and size, null when there was no file. Its bytes are kept in the content store. */
  before: z.object({ sha256: z.string(), bytes: z.number().int() }).nullable(),
  /** The whole target after the commit; differs from `content` when appending. */
  after: z.object({ sha256: z.string(), bytes: z.number().int() }),
  content: contentRefSchema,
});
export type WritePlan = z.infer<typeof writePlanSchema>;

/** Input of `commitWrite`: the activity finds the session's plan in its row. `content` absent: the draft file. */
export const commitWriteInputSchema = z.object({
  sessionId: sessionIdSchema,
  firstExecutionRunId: z.string(),
  content: contentRefSchema.optional(),
});
export type CommitWriteInput = z.infer<typeof commitWriteInputSchema>;

/** Input of `closeWriteSession`: writes the end into the row; answers the end that stands (the first wins). */
export const closeWriteSessionInputSchema = z.object({
  sessionId: sessionIdSchema,
  firstExecutionRunId: z.string(),
  end: z.enum(['committed', 'cancelled', 'expired']),
});
export type CloseWriteSessionInput = z.infer<typeof closeWriteSessionInputSchema>;

/** Told to the turn that began the session, when the session has ended. */
export const sessionEndedSchema = z.object({
  sessionId: sessionIdSchema,
  end: z.enum(['committed', 'cancelled', 'expired']),
  content: contentRefSchema.optional(),
});
export type SessionEnded = z.infer<typeof sessionEndedSchema>;

/** Result of `commitWrite`. After a commit the row has ended: so it stands there, and nothing is left to close. */
export type CommitWriteResult = CommitOutcome & { readonly ended?: SessionEnded };
