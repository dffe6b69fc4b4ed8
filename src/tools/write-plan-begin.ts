import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { BEGIN_WRITE_SESSION } from '../contracts/built-in-tools.ts';
import { validationFailedText, WRITE_SESSION_TEXTS } from '../contracts/write-session-texts.ts';
import { writeOperationSchema, type WriteOperation } from '../contracts/write-session.ts';
import type { AbandonedSessions } from '../db/abandoned-sessions.ts';
import type { BeginOutcome, BeginRequest, WriteSessions } from '../sessions/write-sessions.ts';
import { builtInTool } from './built-in-tool.ts';
import type { Tool, ToolOutcome } from './tool.ts';

export interface WritePlanBeginDeps {
  readonly sessions: Pick<WriteSessions, 'begin' | 'cancel'>;
  /** Sessions that earlier turns of the conversation have left open; they give way to a new one. */
  readonly abandoned: AbandonedSessions;
  /** Whether an error says that a server is away, which passes. */
  readonly isUnavailable: (error: unknown) => boolean;
}

/** What the model is told to send. */
const offeredSchema = z.strictObject({
  target_file: z.string().describe('File path relative to the workspace root'),
  operation: writeOperationSchema.describe(
    'create: a new file; overwrite: replace a file, or make it; append: add to an existing file',
  ),
  intent: z.string().describe('What the file is for, in one sentence').optional(),
});

/** What is taken: loose, so that a wrong value gets the text that all clients of write sessions get. */
const inputSchema = z.strictObject({
  target_file: z.string().default(''),
  operation: z.string().default(''),
  intent: z.string().default(''),
});

/** `WritePlanTool_begin`: the model's next text is the file (write-sessions.md "In a turn"). */
export const createWritePlanBeginTool = (deps: WritePlanBeginDeps): Tool<z.infer<typeof inputSchema>> => ({
  ...builtInTool(BEGIN_WRITE_SESSION),
  description:
    'Begin writing a long file (more than 150 lines or 8 KiB). After it your next message is the content of the ' +
    'file, written directly as plain text, and ends with DONE on its own line.',
  input: inputSchema,
  parameters: z.toJSONSchema(offeredSchema),
  // The session's id is drawn before the call: the same begin again is the same session.
  rerunnable: true,
  async execute({ target_file: targetFile, operation: asked, intent }, context) {
    const operation = writeOperationSchema.safeParse(asked);
    if (targetFile.trim() === '') return refused(WRITE_SESSION_TEXTS.targetRequired);
    if (!operation.success) return refused(WRITE_SESSION_TEXTS.invalidOperation);
    const { turnId, projectId, writeSession } = context;
    const { sessionId = randomUUID(), inactivityMs, replaces } = writeSession ?? {};
    const request = {
      sessionId,
      projectId,
      targetFile,
      operation: operation.data,
      intent,
      turnId,
      ...(inactivityMs === undefined ? {} : { inactivityMs }),
    };
    try {
      if (replaces !== undefined) await deps.sessions.cancel(replaces);
      return outcomeOf(request, await begin(deps, request));
    } catch (error) {
      if (!deps.isUnavailable(error)) throw error;
      return { ok: false, error: WRITE_SESSION_TEXTS.internalError, transient: true };
    }
  },
});

/** "Overwrite it, then" must not have to wait until the session that failed before has expired. */
const begin = async (
  { sessions, abandoned }: WritePlanBeginDeps,
  request: BeginRequest & { readonly turnId: string },
): Promise<BeginOutcome> => {
  const begun = await sessions.begin(request);
  if (begun.kind !== 'conflict') return begun;
  const inTheWay = await abandoned(request.turnId);
  for (const sessionId of inTheWay) await sessions.cancel(sessionId);
  return inTheWay.length === 0 ? begun : sessions.begin(request);
};

const refused = (error: string): ToolOutcome => ({ ok: false, error });

const outcomeOf = (
  { sessionId, targetFile, operation }: { sessionId: string; targetFile: string; operation: WriteOperation },
  begun: BeginOutcome,
): ToolOutcome => {
  switch (begun.kind) {
    case 'conflict':
      return refused(WRITE_SESSION_TEXTS.sessionActive);
    case 'invalid':
      return refused(validationFailedText(begun.reason));
    case 'begun':
      return {
        ok: true,
        result: {
          session_id: sessionId,
          stage: begun.row.stage,
          instruction: WRITE_SESSION_TEXTS.instruction,
          target_file: targetFile,
          operation,
          expires_at: new Date(begun.expiresAt).toISOString(),
        },
      };
    default:
      return begun satisfies never;
  }
};
