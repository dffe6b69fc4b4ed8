import { sql, type Kysely } from 'kysely';

/** What a project's turns came to by day is read from a piece of its time. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create index turns_by_project_time on turns (project_id, started_at)`.execute(db);
};
