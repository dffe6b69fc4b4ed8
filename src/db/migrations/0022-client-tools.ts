import { sql, type Kysely } from 'kysely';

/** Tools that the client of a turn has declared. Null if it has declared none. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table turns add column client_tools json`.execute(db);
};
