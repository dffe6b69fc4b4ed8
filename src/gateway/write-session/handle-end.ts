import type { Request } from 'express';
import type { WriteSessionMessage } from '../../contracts/http/write-session-api.ts';
import type { RequireSession } from './session-requests.ts';
import { sessionNotFound, undoRefused } from './write-errors.ts';
import type { WriteSessionParts } from './write-session-parts.ts';

interface EndDeps extends Pick<WriteSessionParts, 'sessions'> {
  readonly requireSession: RequireSession;
}

/** Ends an open session without a write. Throws ApiError. */
export const handleCancel = async (
  { sessions, requireSession }: EndDeps,
  req: Request,
  id: string,
): Promise<WriteSessionMessage> => {
  const { sessionId } = await requireSession(req, id);
  const outcome = await sessions.cancel(sessionId);
  switch (outcome.kind) {
    case 'cancelled':
      req.log.info({ sessionId }, 'write session cancelled');
      return { message: 'Write session cancelled.' };
    case 'ended':
      throw sessionNotFound(outcome.stage);
    case 'not_found':
      throw sessionNotFound();
    default:
      return outcome satisfies never;
  }
};

/** Puts back what the target held before a committed session. Throws ApiError. */
export const handleUndo = async (
  { sessions, requireSession }: EndDeps,
  req: Request,
  id: string,
): Promise<WriteSessionMessage> => {
  const { sessionId, targetFile } = await requireSession(req, id);
  const outcome = await sessions.undo(sessionId);
  switch (outcome.kind) {
    case 'undone':
      req.log.info({ sessionId }, 'write session undone');
      return { message: `${targetFile} is again as it was before the write session.` };
    case 'refused':
      throw undoRefused(outcome.reason);
    case 'not_found':
      throw sessionNotFound();
    default:
      return outcome satisfies never;
  }
};
