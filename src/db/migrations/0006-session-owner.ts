import { sql, type Kysely } from 'kysely';

/** Slots are counted per owner: the API key that a session was begun with, or `local` where no keys are used. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table write_sessions add column owner text not null default 'local'`.execute(db);
  await sql`drop index write_sessions_slot`.execute(db);
  await sql`
    create unique index write_sessions_slot on write_sessions (owner, slot) where state <> 'ended'`.execute(
    db,
  );
};
