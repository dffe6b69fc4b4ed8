import { sql, type Kysely } from 'kysely';

/**
 * `begins_anew` is true for a turn that continues no turn, although its conversation may have some. `removed_at` is set
 * when the conversation is removed: of the turn only id, times, usage and costs are left.
 */
const columns = sql`
  alter table turns add column begins_anew boolean not null default false, add column removed_at timestamptz`;

/** The function of 0030, which now leaves turns that begin anew without a parent. */
const follow = sql`
  create or replace function set_turn_parent() returns trigger language plpgsql as $$
  begin
    if new.parent_turn_id is null and not new.begins_anew then
      select last_turn_id into new.parent_turn_id from conversations
      where project_id = new.project_id and conversation_id = new.conversation_id;
    end if;
    return new;
  end $$`;

/** Lets turns continue any earlier turn, and gives conversations titles. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await columns.execute(db);
  await follow.execute(db);
  await sql`create index turns_by_parent on turns (parent_turn_id)`.execute(db);
  await sql`alter table conversations add column title text`.execute(db);
};
