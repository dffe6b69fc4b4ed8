import { sql } from 'kysely';
import type { ShownStatus } from '../../contracts/turn/turn-facts.ts';
import type { Database } from '../connection/database.ts';
import { BEGINNING_CHARACTERS, shownStatus } from './conversation-lists.ts';
import type { ConversationKey } from '../../contracts/values/ids.ts';

/** A turn as a conversation shows it, with its parent and its status. */
export interface BranchedTurn {
  readonly turnId: string;
  /** Id of the parent of this turn. Null if it has none. */
  readonly parentTurnId: string | null;
  readonly status: ShownStatus;
  /** Beginning of the message that asked for the turn. */
  readonly beginning: string;
  /** The cost in whole millionths. Null while the turn runs, and when a call had no price. */
  readonly cost: number | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/** A conversation with a page of its turns, oldest first. */
export interface OpenedConversation {
  /** Title that somebody gave the conversation. Null if it has none. */
  readonly title: string | null;
  /** Beginning of its first message. */
  readonly beginning: string;
  /** The cost of its ended turns and its summaries in whole millionths. Null when no cost is known. */
  readonly cost: number | null;
  readonly turns: readonly BranchedTurn[];
  readonly hasMore: boolean;
}

/** The result of removing a conversation. `busy` means that the turn `turnId` runs in it, or waits for a person. */
export type RemoveOutcome =
  | { readonly kind: 'removed' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'busy'; readonly turnId: string };

/** Reads, renames and removes conversations, one at a time. */
export interface ConversationRepository {
  /** Reads a conversation with a page of its turns. Returns undefined if there is none with that key. */
  open(
    key: ConversationKey,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<OpenedConversation | undefined>;
  /** Gives a conversation a title; returns false when there is none with that key. */
  rename(key: ConversationKey, title: string): Promise<boolean>;
  /**
   * Removes what was said and done in a conversation, in one transaction. Ids, times, usage and costs of its turns
   * stay, so that no id is used twice and no budget comes back. Write sessions that are open stay, too. Removes nothing
   * while a turn of the conversation runs.
   */
  remove(key: ConversationKey): Promise<RemoveOutcome>;
}

/** Creates the repository of conversations in Postgres. */
export const createConversationRepository = (db: Database): ConversationRepository => ({
  open: (key, page) => openConversation(db, key, page),
  rename: (key, title) => rename(db, key, title),
  remove: (key) => db.transaction().execute((trx) => remove(trx, key)),
});

const openConversation = async (
  db: Database,
  { projectId, conversationId }: ConversationKey,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<OpenedConversation | undefined> => {
  const conversation = await db
    .selectFrom('conversations')
    .innerJoin('chat_messages as first', 'first.id', 'conversations.first_message_id')
    .where('conversations.project_id', '=', projectId)
    .where('conversations.conversation_id', '=', conversationId)
    .select([
      'title',
      'cost',
      sql<string>`left(first.content, ${sql.lit(BEGINNING_CHARACTERS)})`.as('beginning'),
    ])
    .executeTakeFirst();
  if (!conversation) return undefined;
  const rows = await db
    .selectFrom('chat_messages as asked')
    .innerJoin('turns', 'turns.turn_id', 'asked.turn_id')
    .where('asked.project_id', '=', projectId)
    .where('asked.conversation_id', '=', conversationId)
    .where('asked.sender', '=', 'user')
    .where('asked.steer_id', 'is', null)
    .select(['turns.turn_id as turnId', 'parent_turn_id as parentTurnId', 'turns.cost'])
    .select(['started_at as startedAt', 'ended_at as endedAt', shownStatus('turns').as('status')])
    .select(sql<string>`left(asked.content, ${sql.lit(BEGINNING_CHARACTERS)})`.as('beginning'))
    .orderBy('asked.id')
    .limit(limit + 1)
    .offset(offset)
    .execute();
  const turns = rows.slice(0, limit).map(({ cost, ...turn }) => ({ ...turn, cost: toCost(cost) }));
  return { ...conversation, cost: toCost(conversation.cost), turns, hasMore: rows.length > limit };
};

const toCost = (cost: string | null): number | null => (cost === null ? null : Number(cost));

const rename = async (
  db: Database,
  { projectId, conversationId }: ConversationKey,
  title: string,
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('conversations')
    .set({ title })
    .where('project_id', '=', projectId)
    .where('conversation_id', '=', conversationId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

/** The tables whose rows of a turn are removed with its conversation. */
const TABLES_OF_TURN = [
  'chat_messages',
  'turn_segments',
  'turn_contexts',
  'turn_transcripts',
  'conversation_summaries',
  'file_changes',
  'tool_executions',
  'reply_contents',
  'input_requests',
  'outbox',
  'trace_events',
] as const;

/** Removes a conversation. The lock on its row keeps others from storing a message or a new turn meanwhile. */
const remove = async (
  trx: Database,
  { projectId, conversationId }: ConversationKey,
): Promise<RemoveOutcome> => {
  const ofConversation = sql`project_id = ${projectId} and conversation_id = ${conversationId}`;
  const locked = await sql`select from conversations where ${ofConversation} for update`.execute(trx);
  if (locked.rows.length === 0) return { kind: 'unknown' };
  const running = await sql<{ turnId: string }>`
    select turn_id as "turnId" from turns where ${ofConversation} and status = 'running'`.execute(trx);
  const [turn] = running.rows;
  if (turn) return { kind: 'busy', turnId: turn.turnId };
  await sql`
    create temporary table removed_turns on commit drop as
    select distinct turn_id from chat_messages where ${ofConversation} and turn_id is not null`.execute(trx);
  for (const table of TABLES_OF_TURN) {
    await sql`delete from ${sql.table(table)} where turn_id in (select turn_id from removed_turns)`.execute(
      trx,
    );
  }
  // Open sessions hold their target's lock and end by themselves; they stay.
  await sql`
    delete from write_sessions
    where state = 'ended' and turn_id in (select turn_id from removed_turns)`.execute(trx);
  // The terminal event of a turn contains its answer, so another event replaces it.
  await sql`
    update turns set removed_at = now(), request_hash = '', content = null, client_tools = null,
      start_input = (start_input::jsonb || '{"content":""}')::json,
      terminal = json_build_object('type', 'error', 'code', 'turn_ended_outside', 'message', 'It was removed.')
    where turn_id in (select turn_id from removed_turns)`.execute(trx);
  await sql`delete from chat_messages where ${ofConversation}`.execute(trx);
  await sql`delete from conversations where ${ofConversation}`.execute(trx);
  return { kind: 'removed' };
};
