import { sql, type Kysely } from 'kysely';

/** Serves the list of input requests, which is read oldest first, a page at a time. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create index input_requests_list on input_requests (opened_at, turn_id) where opened_at is not null`.execute(
    db,
  );
};
