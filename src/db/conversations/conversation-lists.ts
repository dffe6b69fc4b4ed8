import { sql } from 'kysely';
import type { ShownStatus } from '../../contracts/turn/turn-facts.ts';
import type { Database } from '../connection/database.ts';
import type { TurnsTable } from '../tables/turn-tables.ts';

/** Number of characters of a message that lists read, enough for a title. */
export const BEGINNING_CHARACTERS = 400;

/** A conversation as lists show it: its beginning, and its last turn. */
export interface ConversationRow {
  readonly conversationId: string;
  /** Title that somebody gave the conversation. Null if it has none. */
  readonly title: string | null;
  /** Beginning of the first message. */
  readonly beginning: string;
  /** The newest turn. Null if the conversation has only notes. */
  readonly lastTurn: { readonly turnId: string; readonly status: ShownStatus } | null;
  /** Cost of the ended turns and of the summaries, in whole millionths. Null if no cost is known. */
  readonly cost: number | null;
  /** The part of `cost` that repeated attempts caused, in whole millionths. */
  readonly wastedCost: number;
  readonly startedAt: Date;
  readonly updatedAt: Date;
}

/** A turn as lists of turns show it, with the beginning of its message. */
export interface ListedTurn {
  readonly turnId: string;
  readonly conversationId: string;
  /** Beginning of the message that asked for the turn. */
  readonly beginning: string;
  readonly status: ShownStatus;
  readonly reason: string | null;
  readonly protocol: TurnsTable['protocol'];
  readonly mode: TurnsTable['mode'];
  readonly model: string;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

interface ListWindow {
  readonly projectId: string;
  readonly limit: number;
  readonly offset: number;
}

interface ConversationWindow extends ListWindow {
  /** Text that the title must contain, or the beginning of the first message if there is no title. Case is ignored. */
  readonly search?: string | undefined;
}

interface TurnWindow extends ListWindow {
  readonly conversationId?: string | undefined;
}

/** A page, and whether there are further rows after it. */
interface ListPage<T> {
  readonly rows: readonly T[];
  readonly hasMore: boolean;
}

/** Lists of conversations and turns from Postgres, in pages. */
export interface ConversationLists {
  /** Lists conversations, those with the newest message first. */
  listConversations(window: ConversationWindow): Promise<ListPage<ConversationRow>>;
  /** Lists turns of one conversation, or of the whole project, newest first. */
  listTurns(window: TurnWindow): Promise<ListPage<ListedTurn>>;
}

type Lister<W, T> = (db: Database, window: W) => Promise<ListPage<T>>;

/**
 * Creates the lists in Postgres. They read only the beginning of each message, which is enough to find a conversation.
 */
export const createConversationLists = (db: Database): ConversationLists => ({
  listConversations: (window) => listConversations(db, window),
  listTurns: (window) => listTurns(db, window),
});

const listConversations: Lister<ConversationWindow, ConversationRow> = async (
  db,
  { projectId, search, limit, offset },
) => {
  const { rows } = await sql<StoredConversation>`
    with page as (
      select conversation_id, title, first_message_id, last_message_id, last_turn_id, cost, wasted_cost
      from conversations where project_id = ${projectId} ${search === undefined ? sql`` : matching(search)}
      order by last_message_id desc limit ${limit + 1} offset ${offset}
    )
    select page.conversation_id, page.title, page.cost, page.wasted_cost,
      left(first.content, ${sql.lit(BEGINNING_CHARACTERS)}) as beginning,
      first.created_at as started_at, last.created_at as updated_at, turn.turn_id,
      ${shownStatus('turn')} as status
    from page
      join chat_messages first on first.id = page.first_message_id
      join chat_messages last on last.id = page.last_message_id
      left join turns turn on turn.turn_id = page.last_turn_id
    order by page.last_message_id desc`.execute(db);
  return pageOf(rows.map(toConversation), limit);
};

/**
 * Returns the condition of a search. It reads the first message of each conversation without a title, from the newest
 * conversation on, until the page is full.
 */
const matching = (search: string) => sql`
  and position(lower(${search}) in lower(coalesce(title, (
    select left(content, ${sql.lit(BEGINNING_CHARACTERS)}) from chat_messages where id = first_message_id)))) > 0`;

const listTurns: Lister<TurnWindow, ListedTurn> = async (
  db,
  { projectId, conversationId, limit, offset },
) => {
  const userMessages = db
    .selectFrom('chat_messages as asked')
    .innerJoin('turns', 'turns.turn_id', 'asked.turn_id')
    .where('asked.project_id', '=', projectId)
    .where('asked.sender', '=', 'user')
    .where('asked.steer_id', 'is', null);
  const selected =
    conversationId === undefined
      ? userMessages
      : userMessages.where('asked.conversation_id', '=', conversationId);
  const rows = await selected
    .select(['turns.turn_id as turnId', 'turns.conversation_id as conversationId', 'reason'])
    .select(shownStatus('turns').as('status'))
    .select(['protocol', 'mode', 'model', 'started_at as startedAt', 'ended_at as endedAt'])
    .select(sql<string>`left(asked.content, ${sql.lit(BEGINNING_CHARACTERS)})`.as('beginning'))
    .orderBy('asked.id', 'desc')
    .limit(limit + 1)
    .offset(offset)
    .execute();
  return pageOf(rows, limit);
};

/**
 * Returns the expression for the status of a turn as clients see it, which is `waiting` while the turn runs and one of
 * its input requests is open. `turns` is the table's name in the query.
 */
export const shownStatus = (turns: string) => sql<ShownStatus>`
  case when ${sql.ref(`${turns}.status`)} = 'running' and exists (
    select from input_requests request
    where request.turn_id = ${sql.ref(`${turns}.turn_id`)} and request.state = 'open'
  ) then 'waiting' else ${sql.ref(`${turns}.status`)} end`;

interface StoredConversation {
  readonly conversation_id: string;
  readonly title: string | null;
  readonly cost: string | null;
  readonly wasted_cost: string;
  readonly beginning: string;
  readonly started_at: Date;
  readonly updated_at: Date;
  readonly turn_id: string | null;
  readonly status: ShownStatus | null;
}

const toConversation = (row: StoredConversation): ConversationRow => ({
  conversationId: row.conversation_id,
  title: row.title,
  beginning: row.beginning,
  lastTurn: row.turn_id === null || row.status === null ? null : { turnId: row.turn_id, status: row.status },
  cost: row.cost === null ? null : Number(row.cost),
  wastedCost: Number(row.wasted_cost),
  startedAt: row.started_at,
  updatedAt: row.updated_at,
});

/** Makes a page of at most `limit` rows. One more row has been read, to know whether others follow. */
const pageOf = <T>(rows: readonly T[], limit: number): ListPage<T> => ({
  rows: rows.slice(0, limit),
  hasMore: rows.length > limit,
});
