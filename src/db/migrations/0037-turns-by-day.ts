import { sql, type Kysely } from 'kysely';

/** An index for counting a project's turns by day, which reads a stretch of time. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create index turns_by_project_time on turns (project_id, started_at)`.execute(db);
};
