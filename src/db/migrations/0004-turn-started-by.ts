import { sql, type Kysely } from 'kysely';

/** This column needs no index: it is compared only in running turns, which have one. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table turns add column started_by text`.execute(db);
};
