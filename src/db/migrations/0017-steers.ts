import { sql, type Kysely } from 'kysely';

/**
 * Messages into a running turn are user messages of this turn, too. `steer_id` tells them from the message that began
 * it.
 */
const column = sql`alter table chat_messages add column steer_id text`;

const onePerSender = sql`alter table chat_messages drop constraint chat_messages_turn_id_sender_key`;

const onePerMessage = sql`
  create unique index chat_messages_turn on chat_messages (turn_id, sender, coalesce(steer_id, ''))`;

/** The index is created before the constraint is dropped, so that a turn cannot get two answers in between. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [column, onePerMessage, onePerSender]) await statement.execute(db);
};
