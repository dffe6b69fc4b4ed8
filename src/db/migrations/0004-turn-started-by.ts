import { sql, type Kysely } from 'kysely';

/** Adds `started_by`. It needs no index, because only running turns are searched by it, and these have an index. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table turns add column started_by text`.execute(db);
};
