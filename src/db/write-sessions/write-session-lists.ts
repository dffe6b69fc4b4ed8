import { sql, type Selectable } from 'kysely';
import type { Database } from '../connection/database.ts';
import type { WriteSessionsTable } from '../tables/write-session-tables.ts';
import { claimForSweep, type ClaimOptions } from '../claims/sweep-claim.ts';
import { toWriteSessionRow, type WriteSessionRow } from './write-session-row.ts';

/** The fields of a session that a list shows: inputs and outcomes, which may be long, stay in Postgres. */
export type ListedSession = Pick<
  WriteSessionRow,
  'sessionId' | 'stage' | 'operation' | 'targetFile' | 'startedAt' | 'endedAt' | 'undoneAt'
>;

/** Returns what a list shows of the newest sessions of a project, at most `limit` of them. */
export const listProjectSessions = (
  db: Database,
  projectId: string,
  limit: number,
): Promise<ListedSession[]> =>
  db
    .selectFrom('write_sessions')
    .select(['session_id as sessionId', 'stage', 'operation', 'target_file as targetFile'])
    .select(['started_at as startedAt', 'ended_at as endedAt', 'undone_at as undoneAt'])
    .where('project_id', '=', projectId)
    .orderBy('started_at', 'desc')
    .limit(limit)
    .execute();

/** Returns the ids of open and closing sessions that have no slot. */
export const listSessionsWithoutSlot = async (db: Database): Promise<string[]> => {
  const selection = db.selectFrom('write_sessions').select('session_id').where('slot', 'is', null);
  return (await selection.where('state', '<>', 'ended').execute()).map(({ session_id: id }) => id);
};

/**
 * Claims sessions that have not ended for one sweeper; see `ClaimOptions`. `closing` rows are claimed, too, since the
 * process that was closing them may have died.
 */
export const claimOpenSessions = async (db: Database, options: ClaimOptions): Promise<WriteSessionRow[]> => {
  const swept = {
    table: 'write_sessions',
    id: 'session_id',
    isOpen: sql<boolean>`state <> 'ended'`,
  } as const;
  return (await claimForSweep<Selectable<WriteSessionsTable>>(db, swept, options)).map(toWriteSessionRow);
};
