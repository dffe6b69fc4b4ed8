import { sql, type Kysely } from 'kysely';

/**
 * The bytes that each owner (API key, `local` without keys) has stored, by UTC day. An owner has one row a day, which
 * is so little that rows stay for ever.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table stored_bytes (
      owner text not null,
      day date not null,
      bytes bigint not null,
      primary key (owner, day)
    )`.execute(db);
};
