import { sql } from 'kysely';
import type { ModelMessage } from '../../contracts/model/model-message.ts';
import type { Database } from '../connection/database.ts';
import { PREPARED } from '../connection/prepared-statement.ts';
import type { MessageSender } from '../tables/conversation-tables.ts';
import { type Branch, loadBranch, loadBranchUpTo, MAX_BRANCH_TURNS } from './branch.ts';
import { positionCteOf } from './turn-position.ts';

/** A stored message of a turn without a transcript. */
export interface MessageOfTurn {
  readonly turnId: string | null;
  readonly sender: MessageSender;
  readonly content: string;
  readonly metadata: Record<string, unknown>;
  /** Id of a message into a running turn. Null for any other message. */
  readonly steerId: string | null;
}

/** An earlier turn as a prompt includes it: its transcript, or its stored messages where it has none. */
export type TurnText =
  | { readonly kind: 'transcript'; readonly turnId: string; readonly messages: readonly ModelMessage[] }
  | { readonly kind: 'messages'; readonly turnId: string; readonly messages: readonly MessageOfTurn[] };

/** Reads earlier turns as prompts contain them, along the chain of parents. */
export interface TranscriptRepository {
  /** Reads the turns before the turn `turnId`, and the other facts on which its prompt depends. */
  loadBranch(turnId: string): Promise<Branch>;
  /**
   * Reads the turns that a turn after `leafTurnId` would continue, `leafTurnId` first. Rejects if there is no such
   * turn.
   */
  loadEndedBranch(leafTurnId: string): Promise<EndedBranch>;
  /**
   * Loads the texts of the turns before `turnId`, from the anchor on, and the summary `summaryTurnId` of the turns
   * before them.
   */
  load(turnId: string, anchorTurnId: string, summaryTurnId: string | null): Promise<EarlierTexts>;
}

/**
 * The turns of a branch up to an ended turn, newest first, the newest finished summary of turns before them, and the
 * model of the ended turn.
 */
export type EndedBranch = Pick<Branch, 'turns' | 'summary'> & { readonly model: string };

/** Texts of consecutive turns, oldest first. `isWhole` is true if nothing comes before the first of them. */
export interface EarlierTexts {
  readonly turns: readonly TurnText[];
  readonly isWhole: boolean;
  /**
   * The requested summary. Null if none was requested or stored, or if nothing comes before these turns. `isComplete`
   * is true if it covers everything before them.
   */
  readonly summary: { readonly content: string; readonly isComplete: boolean } | null;
}

/** Creates the repository of earlier turns in Postgres: `turn_transcripts`, along `turns.parent_turn_id`. */
export const createTranscriptRepository = (db: Database): TranscriptRepository => ({
  loadBranch: (turnId) => loadBranch(db, positionCteOf(turnId)),
  loadEndedBranch: (leafTurnId) => loadBranchUpTo(db, leafTurnId),
  load: (turnId, anchorTurnId, summaryTurnId) =>
    loadTexts(db, { turnId, anchorTurnId, summaryTurnId, includesTurn: false }),
});

interface StoredText {
  readonly turnId: string;
  readonly parent: string | null;
  readonly messages: readonly ModelMessage[] | null;
}

interface TextRange {
  readonly turnId: string;
  readonly anchorTurnId: string;
  /** The last turn that the summary covers. Null if no summary is wanted. */
  readonly summaryTurnId: string | null;
  readonly includesTurn: boolean;
}

/**
 * Loads the texts of a turn's chain of parents from the anchor on. `includesTurn` says whether the turn's own text is
 * included.
 */
export const loadTexts = async (
  db: Database,
  { turnId, anchorTurnId, summaryTurnId, includesTurn }: TextRange,
): Promise<EarlierTexts> => {
  const { rows } = await sql<StoredText>`${PREPARED}
    with recursive chain as (
      select turn_id, parent_turn_id, 0 as depth from turns where turn_id = ${turnId}
      union all
      select turns.turn_id, turns.parent_turn_id, depth + 1
      from chain join turns on turns.turn_id = chain.parent_turn_id
      where chain.turn_id <> ${anchorTurnId} and depth < ${MAX_BRANCH_TURNS}
    )
    select chain.turn_id as "turnId", parent_turn_id as parent, messages
    from chain left join turn_transcripts using (turn_id)
    order by depth desc`.execute(db);
  const included = rows.filter((row) => includesTurn || row.turnId !== turnId);
  const messagesByTurn = await loadMessages(
    db,
    included.flatMap((row) => (row.messages === null ? [row.turnId] : [])),
  );
  const turns = included.map(({ turnId: id, messages }): TurnText =>
    messages === null
      ? { kind: 'messages', turnId: id, messages: messagesByTurn.get(id) ?? [] }
      : { kind: 'transcript', turnId: id, messages },
  );
  const before = rows[0]?.parent ?? null;
  const content =
    before === null || summaryTurnId === null ? undefined : await findSummary(db, summaryTurnId);
  const summary = content === undefined ? null : { content, isComplete: before === summaryTurnId };
  return { turns, isWhole: before === null, summary };
};

const findSummary = async (db: Database, turnId: string): Promise<string | undefined> => {
  const { rows } = await sql<{ content: string }>`
    select content from conversation_summaries where turn_id = ${turnId}`.execute(db);
  return rows[0]?.content;
};

const loadMessages = async (
  db: Database,
  turnIds: readonly string[],
): Promise<ReadonlyMap<string, MessageOfTurn[]>> => {
  if (turnIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('chat_messages')
    .select(['turn_id', 'sender', 'content', 'metadata', 'steer_id'])
    .where('turn_id', '=', sql<string>`any(${[...turnIds]})`)
    .where('content', '<>', '')
    .orderBy('id')
    .execute();
  const messages = rows.map(({ turn_id: turnId, steer_id: steerId, ...rest }) => ({
    turnId,
    steerId,
    ...rest,
  }));
  return Map.groupBy(messages, ({ turnId }) => turnId ?? '');
};
