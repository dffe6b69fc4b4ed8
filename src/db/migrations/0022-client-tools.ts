import { sql, type Kysely } from 'kysely';

/** Adds the tools that the client of a turn has declared. The column is null if there are none. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table turns add column client_tools json`.execute(db);
};
