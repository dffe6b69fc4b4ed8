import type { Request } from 'express';
import { sessionIdSchema } from '../../contracts/write-session.ts';
import type { WriteSessionRow } from '../../db/write-session-row.ts';
import { sees } from '../access/access.ts';
import { fromDatabase } from '../turns/turn-lookup.ts';
import { sessionNotFound } from './write-errors.ts';
import type { WriteSessionParts } from './write-session-parts.ts';

/** The session of a path or body, ended or not. A foreign project's is as unknown as an id that cannot be one. */
export type RequireSession = (req: Request, sessionId: string) => Promise<WriteSessionRow>;

export const createSessionLookup =
  ({ rows }: Pick<WriteSessionParts, 'rows'>): RequireSession =>
  async (req, sessionId) => {
    const id = sessionIdSchema.safeParse(sessionId);
    const row = id.success ? await fromDatabase(rows.find(id.data)) : undefined;
    if (row && sees(req, row.projectId)) return row;
    throw sessionNotFound();
  };

/** Throws `session_not_found` with the stage of a session that has ended. */
export const requireOpen = (row: WriteSessionRow): WriteSessionRow => {
  if (row.state === 'ended') throw sessionNotFound(row.stage);
  return row;
};
