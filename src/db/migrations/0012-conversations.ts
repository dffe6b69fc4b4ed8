import { sql, type Kysely, type RawBuilder } from 'kysely';

/**
 * One row per conversation, by which lists find the messages and the turn that they show. The first message creates the
 * row.
 */
const conversations = sql`
  create table conversations (
    project_id text not null,
    conversation_id text not null,
    first_message_id bigint not null,
    last_message_id bigint not null,
    last_turn_id text,
    primary key (project_id, conversation_id)
  )`;

const byLastMessage = sql`create index conversations_last on conversations (project_id, last_message_id)`;

/** Returns the statement that brings `conversations` up to date with messages that are newer than those it has seen. */
const take = (messages: RawBuilder<unknown>) => sql`
  insert into conversations as known
    select project_id, conversation_id, min(id), max(id),
      (array_agg(turn_id order by id desc) filter (where turn_id is not null))[1]
    from ${messages} group by project_id, conversation_id
  on conflict (project_id, conversation_id) do update set
    last_message_id = greatest(known.last_message_id, excluded.last_message_id),
    last_turn_id = coalesce(excluded.last_turn_id, known.last_turn_id)`;

/** A trigger updates `conversations`, because gateways and workers of the earlier version insert messages, too. */
const follow = sql`
  create function follow_conversations() returns trigger language plpgsql as $$
  begin
    ${take(sql`inserted`)};
    return null;
  end $$`;

const followed = sql`
  create trigger chat_messages_conversations after insert on chat_messages
  referencing new table as inserted for each statement execute function follow_conversations()`;

/** Largest number of messages that one statement reads. The statement stays far below the query limit of the pool. */
const MESSAGES_PER_BATCH = 20_000;

/** Creating the trigger locks `chat_messages`, so that nobody inserts until the existing messages have been added. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [conversations, byLastMessage, follow, followed]) await statement.execute(db);
  const { rows } = await sql<{ newest: string | null }>`
    select max(id) as newest from chat_messages`.execute(db);
  const newest = Number(rows[0]?.newest ?? 0);
  for (let from = 0; from < newest; from += MESSAGES_PER_BATCH) {
    const batch = sql`chat_messages where id > ${from} and id <= ${from + MESSAGES_PER_BATCH}`;
    await take(batch).execute(db);
  }
};
