import type { Database } from './database.ts';

/**
 * Ids of open write sessions that earlier turns of a turn's conversation have left behind: those turns have ended,
 * so nobody but a person could still write them.
 */
export type AbandonedSessions = (turnId: string) => Promise<string[]>;

export const createAbandonedSessions =
  (db: Database): AbandonedSessions =>
  async (turnId) => {
    const rows = await db
      .selectFrom('write_sessions as session')
      .innerJoin('turns as earlier', 'earlier.turn_id', 'session.turn_id')
      .innerJoin('turns as own', (join) =>
        join
          .onRef('own.project_id', '=', 'earlier.project_id')
          .onRef('own.conversation_id', '=', 'earlier.conversation_id'),
      )
      .select('session.session_id')
      .where('own.turn_id', '=', turnId)
      .where('earlier.status', '<>', 'running')
      .where('session.state', '=', 'open')
      .execute();
    return rows.map((row) => row.session_id);
  };
