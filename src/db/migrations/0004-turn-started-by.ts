import { sql, type Kysely } from 'kysely';

/** No index: it is asked of running turns alone, which have one. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table turns add column started_by text`.execute(db);
};
