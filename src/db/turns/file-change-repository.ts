import { sql } from 'kysely';
import type { TurnChange, TurnChanges } from '../../files/commit/undo-turn.ts';
import type { Database } from '../connection/database.ts';
import type { WithFreeTarget } from '../claims/free-target.ts';

/** The changes that turns made to files, as Postgres keeps them for an undo. */
export interface FileChangeRepository extends TurnChanges {
  /** Returns the labels of the tools that the turn has begun to run, each once, in alphabetical order. */
  listTools(turnId: string): Promise<readonly string[]>;
}

/**
 * Creates the repository of file changes. It reads `file_changes`, the write sessions of turns and the ledger.
 * `withFreeTarget` is the lock on targets, over the same pool as `db`.
 */
export const createFileChangeRepository = (
  db: Database,
  withFreeTarget: WithFreeTarget,
): FileChangeRepository => ({
  list: async (turnId) =>
    [...(await listToolChanges(db, turnId)), ...(await listSessionChanges(db, turnId))].toSorted(
      (a, b) => a.at.getTime() - b.at.getTime(),
    ),
  markUndone: (turnId, targetKey) => markUndone(db, turnId, targetKey),
  withFreeTarget,
  listTools: async (turnId) => {
    const rows = await db
      .selectFrom('tool_executions')
      .select('tool_name')
      .distinct()
      .where('turn_id', '=', turnId)
      .orderBy('tool_name')
      .execute();
    return rows.map((row) => row.tool_name);
  },
});

const listToolChanges = async (db: Database, turnId: string): Promise<TurnChange[]> => {
  const rows = await db
    .selectFrom('file_changes')
    .selectAll()
    .where('turn_id', '=', turnId)
    .orderBy('phase_index')
    .orderBy('position')
    .orderBy('attempt')
    .execute();
  return rows.map((row) => ({
    path: row.path,
    targetKey: row.target_key,
    before: row.before_state,
    after: row.after_state,
    isCertain: false,
    at: row.planned_at,
    isUndone: row.undone_at !== null,
  }));
};

const listSessionChanges = async (db: Database, turnId: string): Promise<TurnChange[]> => {
  const rows = await db
    .selectFrom('write_sessions')
    .select(['target_file', 'target_key', 'plan', 'ended_at', 'undone_at'])
    .where('turn_id', '=', turnId)
    .where('state', '=', 'ended')
    .where('stage', '=', 'committed')
    .execute();
  return rows.flatMap(({ plan, ended_at: endedAt, ...row }) =>
    plan === null || endedAt === null
      ? []
      : [
          {
            path: row.target_file,
            targetKey: row.target_key,
            before: plan.before,
            after: plan.after,
            isCertain: true,
            at: endedAt,
            isUndone: row.undone_at !== null,
          },
        ],
  );
};

/**
 * Marks changes by tools and by sessions together. If only one kind were marked, a repeat would take back half of the
 * turn.
 */
const markUndone = async (db: Database, turnId: string, targetKey: string): Promise<void> => {
  const undone = { undone_at: sql<Date>`clock_timestamp()` };
  await db.transaction().execute(async (trx) => {
    for (const table of ['file_changes', 'write_sessions'] as const) {
      await trx
        .updateTable(table)
        .set(undone)
        .where('turn_id', '=', turnId)
        .where('target_key', '=', targetKey)
        .where('undone_at', 'is', null)
        .execute();
    }
  });
};
