import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../connection/database.ts';

/** The least age of the rows that are claimed, and the largest number of rows of one claim. */
export interface ClaimOptions {
  readonly olderThanMs: number;
  readonly limit: number;
}

/** A table whose open rows sweepers look after. */
export interface SweptTable {
  readonly table: 'turns' | 'write_sessions';
  /** Primary key of the table. */
  readonly id: 'turn_id' | 'session_id';
  /** Condition of the rows that sweepers look after. */
  readonly isOpen: RawBuilder<boolean>;
  /**
   * Expression for the time at which a row is next looked at, where null means at once. Absent means `CLAIM_INTERVAL`
   * after the last sweep.
   */
  readonly dueAt?: RawBuilder<Date | null>;
}

/** Milliseconds between two sweeps of one sweeper. */
export const SWEEP_INTERVAL_MS = 10_000;
/**
 * Time for which sweepers skip a row that one of them has claimed. It is a second less than the time between two
 * sweeps. Otherwise each sweeper could miss the row every second time.
 */
export const CLAIM_INTERVAL = sql`interval ${sql.lit(`${SWEEP_INTERVAL_MS / 1_000 - 1} seconds`)}`;
const NEXT_SWEEP_AT = sql<Date | null>`swept_at + ${CLAIM_INTERVAL}`;

/**
 * Claims rows for one sweep: those that are open, were started at least `olderThanMs` milliseconds ago, and are to be
 * looked at by now. The longest overdue ones come first, at most `limit`. Until the row is to be looked at again, no
 * other sweeper gets it.
 */
export const claimForSweep = async <Row>(
  db: Database,
  { table, id, isOpen, dueAt = NEXT_SWEEP_AT }: SweptTable,
  { olderThanMs, limit }: ClaimOptions,
): Promise<Row[]> => {
  // A CTE runs once. The planner may run a sub-query, with its limit, once per row.
  const { rows } = await sql<Row>`
    with due as (
      select ${sql.ref(id)} as id from ${sql.table(table)}
      where ${isOpen} and started_at <= now() - ${olderThanMs} * interval '1 millisecond'
        and coalesce(${dueAt} < now(), true)
      order by ${dueAt} asc nulls first
      limit ${limit}
      for update skip locked
    )
    update ${sql.table(table)} as swept set swept_at = now()
    from due where ${sql.ref(`swept.${id}`)} = due.id
    returning swept.*`.execute(db);
  return rows;
};
