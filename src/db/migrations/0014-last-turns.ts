import { sql, type Kysely } from 'kysely';

/**
 * The newest message of `last_turn_id`. The trigger needs it to see which of two writers has the newer turn;
 * `last_message_id` may be a note, which belongs to no turn.
 */
const column = sql`alter table conversations add column last_turn_message_id bigint`;

/** The function of 0013, which now also keeps the newer turn if the writer with the older turn comes last. */
const follow = sql`
  create or replace function follow_conversations() returns trigger language plpgsql as $$
  begin
    insert into conversations as known
      select project_id, conversation_id, min(id), max(id),
        (array_agg(turn_id order by id desc) filter (where turn_id is not null))[1],
        max(id) filter (where turn_id is not null)
      from inserted group by project_id, conversation_id
    on conflict (project_id, conversation_id) do update set
      first_message_id = least(known.first_message_id, excluded.first_message_id),
      last_message_id = greatest(known.last_message_id, excluded.last_message_id),
      last_turn_id = case when excluded.last_turn_message_id > coalesce(known.last_turn_message_id, 0)
        then excluded.last_turn_id else known.last_turn_id end,
      last_turn_message_id = greatest(known.last_turn_message_id, excluded.last_turn_message_id);
    return null;
  end $$`;

/**
 * Largest number of conversations that one statement fills. The statement stays far below the query limit of the pool.
 */
const CONVERSATIONS_PER_BATCH = 5_000;

interface Key {
  readonly project_id: string;
  readonly conversation_id: string;
}

/**
 * Fills one batch of conversations that follow the key `after`, in the order of keys. Returns the last key of the
 * batch, or no row when there are no more.
 */
const fill = (after: Key) => sql<Key>`
  with page as (
    select project_id, conversation_id from conversations
    where (project_id, conversation_id) > (${after.project_id}, ${after.conversation_id})
    order by project_id, conversation_id limit ${sql.lit(CONVERSATIONS_PER_BATCH)}
  ), filled as (
    update conversations known set last_turn_id = newest.turn_id, last_turn_message_id = newest.id
    from page cross join lateral (
      select id, turn_id from chat_messages message
      where message.project_id = page.project_id and message.conversation_id = page.conversation_id
        and turn_id is not null
      order by id desc limit 1
    ) as newest
    where known.project_id = page.project_id and known.conversation_id = page.conversation_id
  )
  select project_id, conversation_id from page order by project_id desc, conversation_id desc limit 1`;

/** The lock is taken for the reason given in 0013. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`lock table chat_messages in share row exclusive mode`.execute(db);
  await column.execute(db);
  await follow.execute(db);
  let last: Key | undefined = { project_id: '', conversation_id: '' };
  while (last !== undefined) last = (await fill(last).execute(db)).rows[0];
};
