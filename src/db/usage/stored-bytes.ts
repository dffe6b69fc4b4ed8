import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';

/** The bytes that owners (API keys, or `local` without keys) have stored through all gateways, by UTC day. */
export interface StoredBytesRepository {
  /** Returns the bytes counted on the day `YYYY-MM-DD`. */
  findUsed(owner: string, day: string): Promise<number>;
  /** Adds `bytes` in one statement, unless the day's sum would exceed `limit`. Returns whether they were added. */
  add(owner: string, day: string, bytes: number, limit: number): Promise<boolean>;
}

/** Creates the counts of stored bytes in Postgres: `stored_bytes`, one row for each owner and UTC day. */
export const createStoredBytesRepository = (db: Database): StoredBytesRepository => ({
  async findUsed(owner, day) {
    const row = await db
      .selectFrom('stored_bytes')
      .select('bytes')
      .where('owner', '=', owner)
      .where('day', '=', day)
      .executeTakeFirst();
    return Number(row?.bytes ?? 0);
  },
  async add(owner, day, bytes, limit) {
    if (bytes > limit) return false;
    const row = await db
      .insertInto('stored_bytes')
      .values({ owner, day, bytes })
      .onConflict((conflict) =>
        conflict
          .columns(['owner', 'day'])
          .doUpdateSet(({ eb }) => ({ bytes: eb('stored_bytes.bytes', '+', String(bytes)) }))
          .where(({ eb }) => eb('stored_bytes.bytes', '<=', String(limit - bytes))),
      )
      .returning('bytes')
      .executeTakeFirst();
    return row !== undefined;
  },
});

/**
 * Adds what a turn has stored to the day of the key that started it: segments, prompts, transcript, arguments and
 * results of tool calls, traces, messages into it, and its answer, which is stored twice. Bytes count as Postgres
 * stores them, compressed. The sum of the day may exceed the limit, since the turn has been admitted.
 */
export const countTurnBytes = async (db: Database, turnId: string): Promise<void> => {
  await sql`
    insert into stored_bytes (owner, day, bytes)
    select coalesce(started_by, 'local'), (now() at time zone 'utc')::date,
      2 * coalesce(pg_column_size(content), 0)
      + (select coalesce(sum(pg_column_size(batches)), 0) from turn_segments s where s.turn_id = t.turn_id)
      + (select coalesce(sum(pg_column_size(messages)), 0) from turn_contexts c where c.turn_id = t.turn_id)
      + (select coalesce(sum(pg_column_size(messages)), 0) from turn_transcripts r where r.turn_id = t.turn_id)
      + (select coalesce(sum(pg_column_size(m.content)), 0) from chat_messages m
          where m.turn_id = t.turn_id and m.steer_id is not null)
      + (select coalesce(sum(pg_column_size(arguments) + coalesce(pg_column_size(result), 0)), 0)
          from tool_executions e where e.turn_id = t.turn_id)
      + (select coalesce(sum(pg_column_size(summary) + coalesce(pg_column_size(details), 0)
            + coalesce(pg_column_size(metadata), 0)), 0) from trace_events r where r.turn_id = t.turn_id)
    from turns t where turn_id = ${turnId}
    on conflict (owner, day) do update set bytes = stored_bytes.bytes + excluded.bytes`.execute(db);
};
