import type { Request } from 'express';
import type { WriteSessionMessage } from '../../contracts/http/write-session-api.ts';
import type { RequireSession } from './session-lookup.ts';
import { sessionNotFoundError, undoRefusedError } from './write-errors.ts';
import type { WriteSessionParts } from './write-session-parts.ts';

interface EndDeps extends Pick<WriteSessionParts, 'writeSessions'> {
  readonly requireSession: RequireSession;
}

/** Ends an open session without writing its file. Rejects with ApiError. */
export const handleCancel = async (
  { writeSessions, requireSession }: EndDeps,
  req: Request,
  id: string,
): Promise<WriteSessionMessage> => {
  const { sessionId } = await requireSession(req, id);
  const outcome = await writeSessions.cancel(sessionId);
  switch (outcome.kind) {
    case 'cancelled':
      req.log.info({ sessionId }, 'write session cancelled');
      return { message: 'Write session cancelled.' };
    case 'ended':
      throw sessionNotFoundError(outcome.stage);
    case 'not_found':
      throw sessionNotFoundError();
    default:
      return outcome satisfies never;
  }
};

/** Takes back the write of a committed session: the target gets its earlier content back. Rejects with ApiError. */
export const handleUndo = async (
  { writeSessions, requireSession }: EndDeps,
  req: Request,
  id: string,
): Promise<WriteSessionMessage> => {
  const { sessionId, targetFile } = await requireSession(req, id);
  const outcome = await writeSessions.undo(sessionId);
  switch (outcome.kind) {
    case 'undone':
      req.log.info({ sessionId }, 'write session undone');
      return { message: `${targetFile} is again as it was before the write session.` };
    case 'refused':
      throw undoRefusedError(outcome.reason);
    case 'not_found':
      throw sessionNotFoundError();
    default:
      return outcome satisfies never;
  }
};
