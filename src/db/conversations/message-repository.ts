import { sql, type Selectable } from 'kysely';
import { safeText } from '../../contracts/values/safe-text.ts';
import type { Database } from '../connection/database.ts';
import { idsOfPage } from '../connection/page-bytes.ts';
import type { ChatMessagesTable, MessageSender } from '../tables/conversation-tables.ts';

/** A stored message of a conversation, whoever wrote it. */
export interface StoredMessage {
  readonly id: string;
  /** Id of the turn. Null for a note. */
  readonly turnId: string | null;
  /** The parent of the message's own turn. Null if that turn has none, or if the message belongs to no turn. */
  readonly parentTurnId: string | null;
  readonly projectId: string;
  readonly conversationId: string;
  readonly sender: MessageSender;
  readonly content: string;
  readonly metadata: Record<string, unknown>;
  readonly createdAt: Date;
}

/** One page of the messages of a project or of one of its conversations. */
export interface MessageSelection {
  readonly projectId: string;
  /** Id of a conversation. Absent means all conversations of the project. */
  readonly conversationId?: string | undefined;
  /**
   * A turn of the conversation. Only messages of the branch that ends with this turn, and notes, are read. Absent means
   * all messages.
   */
  readonly leaf?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** A message that starts no turn, as it is to be stored (docs/http-api.md). */
export interface NewNote {
  /** Idempotency key within the project. */
  readonly requestId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly sender: 'orion' | 'system';
  readonly content: string;
  /** Metadata as the client sent it. Keys that Orion sets win over it. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The stored messages of conversations, in Postgres. */
export interface MessageRepository {
  /**
   * Lists messages, newest first: at most `limit`, and at most as many as fit in `PAGE_BYTES`. A first message that is
   * larger is listed by itself. `total` is the number of all messages that match.
   */
  list(selection: MessageSelection): Promise<{ messages: StoredMessage[]; total: number }>;
  /** Finds the note with the idempotency key `requestId`. Returns undefined when there is none. */
  findNote(projectId: string, requestId: string): Promise<StoredMessage | undefined>;
  /**
   * Stores a note. `exists` means that a note with the same key was stored before; `message` is then that note, whose
   * content may differ.
   */
  insertNote(note: NewNote): Promise<{ kind: 'inserted' | 'exists'; message: StoredMessage }>;
}

/**
 * Creates the repository of messages in Postgres. Messages are ordered by id everywhere: ids rise with every insertion,
 * and the user row of a turn, its orion row and the rows of the next turn are inserted one after the other. Times give
 * no such order, because the clocks of several servers may differ.
 */
export const createMessageRepository = (db: Database): MessageRepository => ({
  list: (query) => listMessagePage(db, query),
  findNote: (projectId, requestId) => findNote(db, projectId, requestId),
  insertNote: (note) => insertNote(db, note),
});

const listMessagePage = async (
  db: Database,
  { projectId, conversationId, leaf, limit, offset }: MessageSelection,
): Promise<{ messages: StoredMessage[]; total: number }> => {
  const inProject = db.selectFrom('chat_messages').where('project_id', '=', projectId);
  const inConversation =
    conversationId === undefined ? inProject : inProject.where('conversation_id', '=', conversationId);
  const selection = leaf === undefined ? inConversation : inConversation.where(isInBranch(leaf));
  const page = idsOfPage({
    table: 'chat_messages',
    candidates: selection.select('id').orderBy('id', 'desc').limit(limit).offset(offset),
    order: sql`id desc`,
    weight: sql`octet_length(content) + octet_length(metadata::text)`,
  });
  const [rows, totalRow] = await Promise.all([
    db
      .selectFrom('chat_messages')
      .leftJoin('turns', 'turns.turn_id', 'chat_messages.turn_id')
      .selectAll('chat_messages')
      .select('turns.parent_turn_id')
      .where('id', 'in', sql<string>`(${page})`)
      .orderBy('id', 'desc')
      .execute(),
    selection.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { messages: rows.map(toStoredMessage), total: Number(totalRow.total) };
};

/**
 * Returns the condition of a message that is in the branch that ends with `leaf`. A message without a turn is in every
 * branch.
 */
const isInBranch = (leaf: string) => sql<boolean>`(turn_id is null or turn_id in (
  with recursive chain as (
    select turn_id, parent_turn_id from turns where turn_id = ${leaf}
    union all
    select turns.turn_id, turns.parent_turn_id from chain join turns on turns.turn_id = chain.parent_turn_id
  )
  select turn_id from chain))`;

const insertNote = async (
  db: Database,
  { requestId, projectId, conversationId, sender, content, metadata }: NewNote,
): Promise<{ kind: 'inserted' | 'exists'; message: StoredMessage }> => {
  const insertedRow = await db
    .insertInto('chat_messages')
    .values({
      request_id: requestId,
      project_id: projectId,
      conversation_id: conversationId,
      sender,
      content: safeText(content),
      metadata: JSON.stringify({ ...metadata, requestId }),
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'request_id']).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (insertedRow) return { kind: 'inserted', message: toStoredMessage(insertedRow) };
  const existing = await findNote(db, projectId, requestId);
  if (!existing) throw new Error(`note ${requestId} of ${projectId}: neither inserted nor found`);
  return { kind: 'exists', message: existing };
};

const findNote = async (
  db: Database,
  projectId: string,
  requestId: string,
): Promise<StoredMessage | undefined> => {
  const row = await db
    .selectFrom('chat_messages')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  return row && toStoredMessage(row);
};

type StoredRow = Selectable<ChatMessagesTable> & { readonly parent_turn_id?: string | null };

const toStoredMessage = (row: StoredRow): StoredMessage => ({
  id: row.id,
  turnId: row.turn_id,
  parentTurnId: row.parent_turn_id ?? null,
  projectId: row.project_id,
  conversationId: row.conversation_id,
  sender: row.sender,
  content: row.content,
  metadata: row.metadata,
  createdAt: row.created_at,
});
