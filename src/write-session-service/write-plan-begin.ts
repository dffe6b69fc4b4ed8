import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { INTERNAL_ERROR_TEXT } from '../contracts/values/internal-error-text.ts';
import {
  BEGIN_WRITE_SESSION,
  MAX_WRITE_TO_FILE_BYTES,
  MAX_WRITE_TO_FILE_LINES,
} from '../contracts/tools/built-in-tools.ts';
import { KIB } from '../contracts/values/units.ts';
import { validationFailedText, WRITE_SESSION_TEXTS } from '../contracts/write-session/write-session-texts.ts';
import {
  intentSchema,
  targetFileSchema,
  writeOperationSchema,
} from '../contracts/write-session/write-session.ts';
import { describeConflict } from './describe-conflict.ts';
import type { BeginConflict, BeginOutcome, BeginRequest } from './begin-session.ts';
import type { WriteSessions } from './write-sessions.ts';
import { builtInTool } from '../tools/built-in-tool.ts';
import type { Tool, ToolOutcome } from '../tools/tool.ts';

export interface WritePlanBeginDeps {
  readonly writeSessions: Pick<WriteSessions, 'begin' | 'cancel'>;
  /** Reports whether an error means that a server cannot be reached at the moment. */
  readonly isUnavailable: (error: unknown) => boolean;
}

/** The arguments that the model is asked to send. */
const offeredSchema = z.strictObject({
  target_file: z.string().describe('File path relative to the workspace root'),
  operation: writeOperationSchema.describe(
    'create: a new file; overwrite: replace a file, or make it; append: add to an existing file',
  ),
  intent: z.string().describe('What the file is for, in one sentence').optional(),
});

/**
 * The arguments that are accepted. They are loose, so that a wrong value is refused with the text that all clients of
 * write sessions get.
 */
const inputSchema = z.strictObject({
  target_file: targetFileSchema.default(''),
  operation: z.string().default(''),
  intent: intentSchema.default(''),
});

/** Creates the tool `WritePlanTool_begin`: the model's next text is the file (docs/write-sessions.md "In a turn"). */
export const createWritePlanBeginTool = (deps: WritePlanBeginDeps): Tool<z.infer<typeof inputSchema>> => ({
  ...builtInTool(BEGIN_WRITE_SESSION),
  description:
    `Begin writing a long file (more than ${MAX_WRITE_TO_FILE_LINES} lines or ` +
    `${MAX_WRITE_TO_FILE_BYTES / KIB} KiB). After it your next message is the content of the ` +
    'file, written directly as plain text, and ends with DONE on its own line.',
  input: inputSchema,
  parameters: z.toJSONSchema(offeredSchema),
  // The session's id is drawn before the call, so that a repeat of the begin gets the same session.
  mayRunAgain: true,
  async execute({ target_file: targetFile, operation: operationText, intent }, context) {
    const operation = writeOperationSchema.safeParse(operationText);
    if (targetFile.trim() === '') return failedBegin(WRITE_SESSION_TEXTS.targetRequired);
    if (!operation.success) return failedBegin(WRITE_SESSION_TEXTS.invalidOperation);
    const { turnId, projectId, writeSession } = context;
    const { sessionId = randomUUID(), inactivityMs, replaces, needsApproval } = writeSession ?? {};
    const request = {
      sessionId,
      projectId,
      targetFile,
      operation: operation.data,
      intent,
      turnId,
      ...(inactivityMs !== undefined && { inactivityMs }),
      ...(needsApproval && { needsApproval }),
    };
    try {
      if (replaces !== undefined) await deps.writeSessions.cancel(replaces);
      return toolOutcomeOf(request, await begin(deps, request));
    } catch (error) {
      if (!deps.isUnavailable(error)) throw error;
      return { ok: false, error: INTERNAL_ERROR_TEXT, isTransient: true };
    }
  },
});

/**
 * Begins a session. If an abandoned session holds the target or a slot, it is cancelled, and the begin is repeated,
 * because the model must not wait until a session expires that nobody writes any longer.
 */
const begin = async ({ writeSessions }: WritePlanBeginDeps, request: BeginRequest): Promise<BeginOutcome> => {
  const outcome = await writeSessions.begin(request);
  if (outcome.kind !== 'conflict') return outcome;
  const abandoned = outcome.holders.find(({ isAbandoned }) => isAbandoned);
  if (abandoned === undefined) return outcome;
  await writeSessions.cancel(abandoned.sessionId);
  return writeSessions.begin(request);
};

const failedBegin = (error: string): ToolOutcome => ({ ok: false, error });

const toolOutcomeOf = (
  { sessionId, projectId, targetFile, operation }: BeginRequest,
  begun: BeginOutcome,
): ToolOutcome => {
  switch (begun.kind) {
    case 'conflict':
      return conflictOutcome(begun, projectId);
    case 'invalid':
      return failedBegin(validationFailedText(begun.reason));
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

/**
 * Returns the result of a begin that met a conflict. The model cannot wait, so the text says what it can do instead.
 */
const conflictOutcome = (conflict: BeginConflict, ownProjectId: string): ToolOutcome => {
  const { reason, lock, session } = describeConflict(conflict, (projectId) => projectId === ownProjectId);
  const next =
    lock === 'target'
      ? 'You cannot wait. Write another file, or end your answer by telling the user what is in the way and the command.'
      : 'You cannot wait. Use FileSystemTool_write_to_file for a short text, or end your answer by telling the user.';
  return { ok: false, error: WRITE_SESSION_TEXTS.sessionActive, details: { reason, next, lock, ...session } };
};
