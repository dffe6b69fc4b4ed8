import { sql } from 'kysely';
import type { Database } from './database.ts';
import { toWriteSessionRow, type WriteSessionRow } from './write-session-row.ts';

export interface ClaimOptions {
  readonly olderThanMs: number;
  readonly limit: number;
}

/** Sweepers come every 10 s: a little less, or each would skip every second time. */
const SWEEP_REST = sql`interval '9 seconds'`;

/** Rows for one sweep; see `WriteSessionRepository.claimOpen`. A `closing` row whose closer died is among them. */
export async function claimOpenSessions(
  db: Database,
  { olderThanMs, limit }: ClaimOptions,
): Promise<WriteSessionRow[]> {
  const rows = await db
    // As a CTE it runs once; as a sub-query the planner may run it, and its limit, once per row.
    .with('due', (cte) =>
      cte
        .selectFrom('write_sessions')
        .select('session_id')
        .where('state', '<>', 'ended')
        .where('started_at', '<=', sql<Date>`now() - ${olderThanMs} * interval '1 millisecond'`)
        .where(({ or, eb }) =>
          or([eb('swept_at', 'is', null), eb('swept_at', '<', sql<Date>`now() - ${SWEEP_REST}`)]),
        )
        .orderBy('swept_at', (order) => order.asc().nullsFirst())
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('write_sessions')
    .from('due')
    .set({ swept_at: sql<Date>`now()` })
    .whereRef('write_sessions.session_id', '=', 'due.session_id')
    .returningAll('write_sessions')
    .execute();
  return rows.map(toWriteSessionRow);
}
