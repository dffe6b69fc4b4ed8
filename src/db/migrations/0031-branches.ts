import { sql, type Kysely } from 'kysely';

/** `removed_at`: the conversation was removed, and of the turn nothing is left but id, times and usage. */
const columns = sql`
  alter table turns add column begins_anew boolean not null default false, add column removed_at timestamptz`;

/** This is as in 0030, with turns that go on from none. */
const follow = sql`
  create or replace function set_turn_parent() returns trigger language plpgsql as $$
  begin
    if new.parent_turn_id is null and not new.begins_anew then
      select last_turn_id into new.parent_turn_id from conversations
      where project_id = new.project_id and conversation_id = new.conversation_id;
    end if;
    return new;
  end $$`;

/** Turns may go on from any turn; conversations may have a title. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await columns.execute(db);
  await follow.execute(db);
  await sql`create index turns_by_parent on turns (parent_turn_id)`.execute(db);
  await sql`alter table conversations add column title text`.execute(db);
};
