import type { Request, Response } from 'express';
import {
  writeSessionQuerySchema,
  type WriteSessionList,
  type WriteSessionStatus,
  type WriteSessionTarget,
} from '../../contracts/http/write-session-api.ts';
import { isoTime } from '../../contracts/values/iso-time.ts';
import type { ListedSession } from '../../db/write-sessions/write-session-lists.ts';
import type { WriteSessionRow } from '../../db/write-sessions/write-session-row.ts';
import { requireVisible } from '../access/access.ts';
import { refuseFile } from '../errors/file-refusal.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import { foldAliases, PROJECT_ALIASES } from '../requests/field-aliases.ts';
import { parseRequest } from '../requests/validation.ts';
import { withDatabaseDeadline } from '../requests/database-deadline.ts';
import { requireOpen, type RequireSession } from './session-lookup.ts';
import { sessionNotFoundError } from './write-errors.ts';
import type { WriteSessionParts } from './write-session-parts.ts';
import type { SessionStatus } from '../../contracts/write-session/write-session.ts';

/**
 * Largest number of sessions in a list. It bounds the bytes of a response, since an entry is little longer than its
 * path, which has at most 4 KiB.
 */
const LIST_LENGTH = 50;

/** Returns the current state of an open session. Rejects with ApiError. */
export const handleStatus = async (
  {
    writeSessions,
    contents,
    readTargetBytes,
    requireSession,
  }: Pick<WriteSessionParts, 'writeSessions' | 'contents' | 'readTargetBytes'> & {
    readonly requireSession: RequireSession;
  },
  req: Request,
  id: string,
): Promise<WriteSessionStatus> => {
  const { sessionId } = requireOpen(await requireSession(req, id));
  const view = await writeSessions.readStatus(sessionId);
  if (!view) throw sessionNotFoundError();
  // The session may have ended since it was looked up.
  const { projectId, targetFile } = requireOpen(view.row);
  const sizes = {
    draftBytes: await contents.drafts.readSize(sessionId),
    // The session can be shown even if the size of its target cannot be read.
    targetBytes: await readTargetBytes(projectId, targetFile).catch(() => undefined),
  };
  return toStatusResponse(view.row, view.status, sizes);
};

/**
 * Returns the current text of the file that an open session writes, so that the new text can be compared with it.
 * Rejects with ApiError.
 */
export const handleTarget = async (
  {
    readTargetText,
    requireSession,
    enterListQueue,
  }: Pick<WriteSessionParts, 'readTargetText'> & {
    readonly requireSession: RequireSession;
    readonly enterListQueue: EnterListQueue;
  },
  req: Request,
  res: Response,
  id: string,
): Promise<WriteSessionTarget> => {
  const { projectId, targetFile, operation } = requireOpen(await requireSession(req, id));
  await enterListQueue(req, res);
  const current = await readTargetText(projectId, targetFile).catch(refuseFile);
  return { target_file: targetFile, operation, ...current };
};

/** Returns the newest sessions of a project, ended or not. Rejects with ApiError. */
export const handleList = async (
  {
    repository,
    enterListQueue,
  }: Pick<WriteSessionParts, 'repository'> & { readonly enterListQueue: EnterListQueue },
  req: Request,
  res: Response,
): Promise<WriteSessionList> => {
  const query = foldAliases(req.query, PROJECT_ALIASES);
  const { projectId } = parseRequest(writeSessionQuerySchema, query, 'query');
  requireVisible(req, projectId);
  await enterListQueue(req, res);
  return toListResponse(await withDatabaseDeadline(repository.list(projectId, LIST_LENGTH)));
};

/**
 * Returns the body of a session's status. `status` is what the workflow says. It is undefined if no workflow answers,
 * and the row then says enough.
 */
const toStatusResponse = (
  row: WriteSessionRow,
  status: SessionStatus | undefined,
  {
    draftBytes,
    targetBytes,
  }: { readonly draftBytes: number; readonly targetBytes: number | null | undefined },
): WriteSessionStatus => {
  const startedAt = row.startedAt.getTime();
  return {
    session_id: row.sessionId,
    stage: status?.stage ?? row.stage,
    target_file: row.targetFile,
    operation: row.operation,
    created_at: isoTime(startedAt),
    last_activity: isoTime(status?.lastActivity ?? startedAt),
    expires_at: isoTime(status?.expiresAt ?? startedAt + row.input.inactivityTimeoutMs),
    draft_bytes: status?.draft?.bytes ?? draftBytes,
    ...(targetBytes !== undefined && { target_bytes: targetBytes }),
  };
};

const toListResponse = (rows: readonly ListedSession[]): WriteSessionList => ({
  sessions: rows.map((row) => ({
    session_id: row.sessionId,
    stage: row.stage,
    target_file: row.targetFile,
    operation: row.operation,
    created_at: row.startedAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    undone_at: row.undoneAt?.toISOString() ?? null,
  })),
});
