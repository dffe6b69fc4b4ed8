import { sql } from 'kysely';
import type { Database } from '../../src/db/connection/database.ts';

/** The number of turns, of two messages each, that fill a window of 90,000 tokens. */
export const TURNS_IN_WINDOW = 90;
const MESSAGE_BYTES = 2_000;

/** A stored conversation whose turns are called `<name>-1` and so on. */
export interface LongConversation {
  readonly name: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly turns: number;
}

/**
 * Stores turns of two messages each; prompts contain the newest of them. A summary of the oldest ones is stored as
 * well, so that no worker makes one during the measurement.
 */
export const fillConversation = async (
  db: Database,
  { name, projectId, conversationId, turns }: LongConversation,
): Promise<void> => {
  const nth = (n: unknown) => sql`${name}::text || '-' || (${n})`;
  const text = sql`rpad(i::text, ${MESSAGE_BYTES}, ' word')`;
  const anchor = nth(sql.lit(Math.max(1, turns - TURNS_IN_WINDOW + 1)));
  await sql`
    insert into turns (turn_id, project_id, conversation_id, request_hash, start_input, protocol, mode, model,
      status, terminal, ended_at, parent_turn_id, anchor_turn_id)
    select ${nth(sql`i`)}, ${projectId}, ${conversationId}, 'hash', '{}', 'two_stage', 'act', 'm',
      'completed', '{}', now(), case when i > 1 then ${nth(sql`i - 1`)} end, ${anchor}
    from generate_series(1, ${turns}) i`.execute(db);
  await sql`
    insert into chat_messages (turn_id, project_id, conversation_id, sender, content, metadata)
    select ${nth(sql`i`)}, ${projectId}, ${conversationId}, sender, ${text}, '{}'
    from generate_series(1, ${turns}) i, (values ('user'), ('orion')) senders (sender) order by i`.execute(
    db,
  );
  await sql`
    insert into turn_transcripts (turn_id, messages, tokens, told)
    select ${nth(sql`i`)}, json_build_array(
        json_build_object('role', 'user', 'content', ${text}),
        json_build_object('role', 'assistant', 'content', ${text})),
      array[${MESSAGE_BYTES / 4}, ${MESSAGE_BYTES / 4}]::integer[], '{"files":[],"instructions":null,"skills":[]}'
    from generate_series(1, ${turns}) i`.execute(db);
  await sql`
    insert into conversation_summaries (turn_id, turn_ids, model, content, done, tokens)
    values (${anchor}, array[${anchor}], 'm', 'Words.', 1, 2)`.execute(db);
};
