import type { Request } from 'express';
import { sessionIdSchema } from '../../contracts/write-session/write-session.ts';
import type { WriteSessionRow } from '../../db/write-sessions/write-session-row.ts';
import { isVisible } from '../access/access.ts';
import { withDatabaseDeadline } from '../requests/database-deadline.ts';
import { sessionNotFoundError } from './write-errors.ts';
import type { WriteSessionParts } from './write-session-parts.ts';

/**
 * Returns the session that a path or body names, ended or not. Rejects with `session_not_found`, for a session of a
 * foreign project as for an unknown or impossible id.
 */
export type RequireSession = (req: Request, sessionId: string) => Promise<WriteSessionRow>;

/** Creates the look-up of sessions in Postgres. It rejects with `database_unavailable` while Postgres is away. */
export const createSessionLookup =
  ({ repository }: Pick<WriteSessionParts, 'repository'>): RequireSession =>
  async (req, sessionId) => {
    const id = sessionIdSchema.safeParse(sessionId);
    const row = id.success ? await withDatabaseDeadline(repository.find(id.data)) : undefined;
    if (row && isVisible(req, row.projectId)) return row;
    throw sessionNotFoundError();
  };

/** Returns the session if it has not ended. Throws `session_not_found` with the stage of one that has. */
export const requireOpen = (row: WriteSessionRow): WriteSessionRow => {
  if (row.state === 'ended') throw sessionNotFoundError(row.stage);
  return row;
};
