import { sql } from 'kysely';
import { CHARACTERS_PER_TOKEN, type ModelMessage } from '../../contracts/model-message.ts';
import type { ToldSurroundings } from '../../contracts/told-surroundings.ts';
import type { Database } from '../database.ts';
import type { MessageSender } from '../schema.ts';

/** An earlier turn of a branch, without its text. */
export interface EarlierTurn {
  readonly turnId: string;
  /** Messages that it is in a prompt. */
  readonly messages: number;
  readonly tokens: number;
  /** Only of the newest, and only while its transcript is kept. */
  readonly told: ToldSurroundings | null;
}

/** A stored message of a turn that has no transcript. */
export interface MessageOfTurn {
  readonly turnId: string | null;
  readonly sender: MessageSender;
  readonly content: string;
  readonly metadata: Record<string, unknown>;
  /** Only a message into a running turn has one. */
  readonly steerId: string | null;
}

/** An earlier turn as a prompt takes it: by its transcript, or by its stored messages where it has none. */
export type TurnText =
  | { readonly kind: 'transcript'; readonly turnId: string; readonly messages: readonly ModelMessage[] }
  | { readonly kind: 'messages'; readonly turnId: string; readonly messages: readonly MessageOfTurn[] };

/** The branch that a turn goes on from. */
export interface Branch {
  /** Newest first, as far as the prompt of its parent reached. */
  readonly turns: readonly EarlierTurn[];
  /** The first of its turns that the prompt of its parent held; null: the parent's prompt is not known. */
  readonly anchorTurnId: string | null;
  /** Tokens of the message that begins the turn. */
  readonly ownTokens: number;
  /** Files that the branches changed which this turn leaves, going on from before them; null: it leaves none. */
  readonly leftFiles: readonly string[] | null;
  /** What was posted since the parent began, oldest first; the newest that fit. */
  readonly notes: readonly string[];
}

/** What earlier turns are in prompts, along the chain of parents. */
export interface TranscriptRepository {
  /** What comes before a turn. */
  branch(turnId: string): Promise<Branch>;
  /**
   * The texts of the turns before this one, from the anchor on, oldest first. `isWhole`: nothing comes before the
   * anchor.
   */
  load(
    turnId: string,
    anchorTurnId: string,
  ): Promise<{ readonly turns: readonly TurnText[]; readonly isWhole: boolean }>;
}

/** A conversation that is longer than this, from before there were anchors, is left out from here. */
const MAX_CHAIN_TURNS = 2_000;
const MAX_LEFT_FILES = 20;
const MAX_NOTES = 50;
const MAX_NOTE_CHARACTERS = 32_000;

/** Earlier turns in Postgres: `turn_transcripts`, along `turns.parent_turn_id`. */
export const createTranscriptRepository = (db: Database): TranscriptRepository => ({
  async branch(turnId) {
    const [links, own] = await Promise.all([loadChain(db, turnId), loadOwn(db, turnId)]);
    const turns = links.map(({ turnId: linked, messages, tokens, told }) => ({
      turnId: linked,
      messages: Number(messages),
      tokens: Number(tokens),
      told,
    }));
    return { turns, anchorTurnId: links[0]?.anchor ?? null, ...own };
  },
  load: (turnId, anchorTurnId) => loadTexts(db, turnId, anchorTurnId),
});

interface Link {
  readonly turnId: string;
  readonly anchor: string | null;
  readonly messages: string;
  readonly tokens: string;
  readonly told: ToldSurroundings | null;
}

const loadChain = async (db: Database, turnId: string): Promise<readonly Link[]> => {
  const { rows } = await sql<Link>`
    with recursive chain as (
      select parent.turn_id, parent.parent_turn_id, parent.anchor_turn_id as anchor, 1 as depth
      from turns own join turns parent on parent.turn_id = own.parent_turn_id
      where own.turn_id = ${turnId}
      union all
      select turns.turn_id, turns.parent_turn_id, chain.anchor, depth + 1
      from chain join turns on turns.turn_id = chain.parent_turn_id
      where chain.turn_id is distinct from chain.anchor and depth < ${MAX_CHAIN_TURNS}
    )
    select chain.turn_id as "turnId", anchor, case when depth = 1 then told end as told,
      coalesce(cardinality(transcript.tokens), spoken.messages) as messages,
      coalesce((select sum(one) from unnest(transcript.tokens) one), spoken.tokens) as tokens
    from chain left join turn_transcripts transcript using (turn_id)
    left join lateral (
      select count(*) as messages, coalesce(sum(octet_length(content)), 0) / 4 as tokens
      from chat_messages message where message.turn_id = chain.turn_id and transcript.turn_id is null
    ) spoken on true
    order by depth`.execute(db);
  return rows;
};

interface Own {
  readonly bytes: number;
  readonly leavesBranch: boolean;
  readonly files: readonly string[] | null;
  readonly notes: readonly string[] | null;
}

/** What begins the turn, and what clients have posted before; notes from before the parent stand in its own prompt. */
const loadOwn = async (db: Database, turnId: string): Promise<Omit<Branch, 'turns' | 'anchorTurnId'>> => {
  const { rows } = await sql<Own>`
    with recursive left_turns as (
      select other.turn_id from turns join turns other on other.parent_turn_id = turns.parent_turn_id
      where turns.turn_id = ${turnId} and other.turn_id <> ${turnId}
      union all
      select turns.turn_id from left_turns join turns on turns.parent_turn_id = left_turns.turn_id
    )
    select octet_length(own.content) as bytes, exists (select from left_turns) as "leavesBranch", (
      select json_agg(path order by path) from (
        select path from file_changes join left_turns using (turn_id)
        union
        select target_file from write_sessions join left_turns using (turn_id) where stage = 'committed'
        limit ${MAX_LEFT_FILES}
      ) changed
    ) as files, (
      select json_agg(content order by id) from (
        select id, content from chat_messages note
        where note.project_id = own.project_id and note.conversation_id = own.conversation_id
          and note.turn_id is null and note.content <> '' and note.id < own.id and note.id > coalesce((
            select id from chat_messages first
            where first.turn_id = turns.parent_turn_id and first.sender = 'user' and first.steer_id is null), 0)
        order by id desc limit ${MAX_NOTES}
      ) posted
    ) as notes
    from turns join chat_messages own using (turn_id)
    where turn_id = ${turnId} and own.sender = 'user' and own.steer_id is null`.execute(db);
  const [own] = rows;
  return {
    ownTokens: Math.ceil((own?.bytes ?? 0) / CHARACTERS_PER_TOKEN),
    leftFiles: own?.leavesBranch === true ? (own.files ?? []) : null,
    notes: newest(own?.notes ?? []),
  };
};

/** The newest notes that fit, oldest first. */
const newest = (notes: readonly string[]): readonly string[] => {
  let characters = MAX_NOTE_CHARACTERS;
  const last = notes.findLastIndex((note) => (characters -= note.length) < 0);
  return notes.slice(last + 1);
};

interface StoredText {
  readonly turnId: string;
  readonly parent: string | null;
  readonly messages: readonly ModelMessage[] | null;
}

const loadTexts = async (
  db: Database,
  turnId: string,
  anchorTurnId: string,
): Promise<{ turns: readonly TurnText[]; isWhole: boolean }> => {
  const { rows } = await sql<StoredText>`
    with recursive chain as (
      select turn_id, parent_turn_id, 0 as depth from turns where turn_id = ${turnId}
      union all
      select turns.turn_id, turns.parent_turn_id, depth + 1
      from chain join turns on turns.turn_id = chain.parent_turn_id
      where chain.turn_id <> ${anchorTurnId} and depth < ${MAX_CHAIN_TURNS}
    )
    select chain.turn_id as "turnId", parent_turn_id as parent, messages
    from chain left join turn_transcripts using (turn_id)
    order by depth desc`.execute(db);
  const earlier = rows.filter((row) => row.turnId !== turnId);
  const messagesOf = await loadMessages(
    db,
    earlier.flatMap((row) => (row.messages === null ? [row.turnId] : [])),
  );
  const turns = earlier.map(({ turnId: id, messages }): TurnText =>
    messages === null
      ? { kind: 'messages', turnId: id, messages: messagesOf.get(id) ?? [] }
      : { kind: 'transcript', turnId: id, messages },
  );
  return { turns, isWhole: (rows[0]?.parent ?? null) === null };
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
