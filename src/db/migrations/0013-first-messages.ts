import { sql, type Kysely } from 'kysely';

/**
 * The function of the trigger that updates `conversations` when messages are inserted. In addition to what it did in
 * 0012, it lowers `first_message_id`: the writer with the older message may come last, and the conversation then begins
 * with that message.
 */
const follow = sql`
  create or replace function follow_conversations() returns trigger language plpgsql as $$
  begin
    insert into conversations as known
      select project_id, conversation_id, min(id), max(id),
        (array_agg(turn_id order by id desc) filter (where turn_id is not null))[1]
      from inserted group by project_id, conversation_id
    on conflict (project_id, conversation_id) do update set
      first_message_id = least(known.first_message_id, excluded.first_message_id),
      last_message_id = greatest(known.last_message_id, excluded.last_message_id),
      last_turn_id = coalesce(excluded.last_turn_id, known.last_turn_id);
    return null;
  end $$`;

/**
 * Largest number of conversations that one statement reads. The statement stays far below the query limit of the pool.
 */
const CONVERSATIONS_PER_BATCH = 5_000;

interface Key {
  readonly project_id: string;
  readonly conversation_id: string;
}

/**
 * Corrects one batch of conversations that follow the key `after`, in the order of keys. Returns the last key that it
 * looked at, or no row when there are no more.
 */
const mend = (after: Key) => sql<Key>`
  with page as (
    select project_id, conversation_id, (
      select id from chat_messages message
      where message.project_id = known.project_id and message.conversation_id = known.conversation_id
      order by id limit 1
    ) as oldest
    from conversations known
    where (project_id, conversation_id) > (${after.project_id}, ${after.conversation_id})
    order by project_id, conversation_id limit ${sql.lit(CONVERSATIONS_PER_BATCH)}
  ), mended as (
    update conversations known set first_message_id = page.oldest from page
    where known.project_id = page.project_id and known.conversation_id = page.conversation_id
      and page.oldest < known.first_message_id
  )
  select project_id, conversation_id from page order by project_id desc, conversation_id desc limit 1`;

/**
 * The lock keeps others from inserting, because their inserts would run the earlier function until this transaction
 * commits.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`lock table chat_messages in share row exclusive mode`.execute(db);
  await follow.execute(db);
  let last: Key | undefined = { project_id: '', conversation_id: '' };
  while (last !== undefined) last = (await mend(last).execute(db)).rows[0];
};
