import { sql, type Kysely } from 'kysely';

/**
 * A session that waits for a person keeps its target, but no slot of its owner. The input request names the session.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table write_sessions alter column slot drop not null`.execute(db);
  await sql`alter table input_requests add column session_id text`.execute(db);
};
