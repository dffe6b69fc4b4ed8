import { sql, type Kysely } from 'kysely';

/**
 * Adds `left_out`, the parts of the turn's prompt that a model call is sent without. It is null if they are those of
 * the call before.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table turn_contexts add column left_out json`.execute(db);
};
