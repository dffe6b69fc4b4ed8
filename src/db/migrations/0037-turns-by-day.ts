import { sql, type Kysely } from 'kysely';

/** An index for the counts of a project's turns by day, which are read from a piece of its time. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create index turns_by_project_time on turns (project_id, started_at)`.execute(db);
};
