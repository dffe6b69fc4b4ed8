import { sql, type Kysely } from 'kysely';

/** Serves the numbers of a project's turns by day, for which a range of `started_at` is read. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create index turns_by_project_time on turns (project_id, started_at)`.execute(db);
};
