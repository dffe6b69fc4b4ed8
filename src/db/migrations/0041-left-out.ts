import { sql, type Kysely } from 'kysely';

/** What a model call is sent without, of its turn's own prompt; null where it is the same as for the call before. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table turn_contexts add column left_out json`.execute(db);
};
