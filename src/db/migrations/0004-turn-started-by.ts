import { sql, type Kysely } from 'kysely';

/** No index: only running turns are read by it, and these have one. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table turns add column started_by text`.execute(db);
};
