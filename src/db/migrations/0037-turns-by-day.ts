import { sql, type Kysely } from 'kysely';

/** Serves the sums of a project's turns by day, which read a range of `started_at`. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create index turns_by_project_time on turns (project_id, started_at)`.execute(db);
};
