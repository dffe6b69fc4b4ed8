import { sql, type Kysely } from 'kysely';

/**
 * `anchor_turn_id` is the turn with which the turn's prompt begins: its own id if the prompt contains no earlier turn.
 */
const columns = sql`
  alter table turns add column parent_turn_id text references turns, add column anchor_turn_id text`;

/**
 * Sets the parent of a new turn. A trigger does it, so that turns which gateways of the earlier version insert
 * meanwhile have a parent, too.
 */
const follow = sql`
  create function set_turn_parent() returns trigger language plpgsql as $$
  begin
    if new.parent_turn_id is null then
      select last_turn_id into new.parent_turn_id from conversations
      where project_id = new.project_id and conversation_id = new.conversation_id;
    end if;
    return new;
  end $$`;
const trigger = sql`
  create trigger turns_parent before insert on turns for each row execute function set_turn_parent()`;

const transcripts = sql`
  create table turn_transcripts (
    turn_id text primary key references turns,
    messages json not null,
    tokens integer[] not null,
    told json
  )`;

const contexts = sql`
  alter table turn_contexts add column told json, add column withdrawn integer[]`;

/**
 * Largest number of conversations whose turns one statement links. The statement stays far below the query limit of the
 * pool.
 */
const CONVERSATIONS_PER_BATCH = 2_000;

interface Key {
  readonly project_id: string;
  readonly conversation_id: string;
}

/**
 * Links the turns of one batch of conversations that follow the key `after`, in the order of keys. Returns the last key
 * of the batch, or no row when there are no more.
 */
const link = (after: Key) => sql<Key>`
  with page as (
    select project_id, conversation_id from conversations
    where (project_id, conversation_id) > (${after.project_id}, ${after.conversation_id})
    order by project_id, conversation_id limit ${sql.lit(CONVERSATIONS_PER_BATCH)}
  ), linked as (
    update turns set parent_turn_id = before.parent from (
      select turn_id, lag(turn_id) over (
        partition by message.project_id, message.conversation_id order by message.id) as parent
      from page join chat_messages message using (project_id, conversation_id)
      where turn_id is not null and sender = 'user' and steer_id is null
    ) as before
    where turns.turn_id = before.turn_id and before.parent is not null
  )
  select project_id, conversation_id from page order by project_id desc, conversation_id desc limit 1`;

/** Adds transcripts, and links each turn to its parent, which so far is the turn before it in its conversation. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await columns.execute(db);
  await contexts.execute(db);
  await transcripts.execute(db);
  await follow.execute(db);
  await trigger.execute(db);
  let last: Key | undefined = { project_id: '', conversation_id: '' };
  while (last !== undefined) last = (await link(last).execute(db)).rows[0];
};
