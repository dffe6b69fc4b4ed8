import { sql, type Kysely } from 'kysely';

/** Adds `cancelled_by`, the client that first asked the gateway to cancel the turn. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table turns add column cancelled_by text`.execute(db);
};
