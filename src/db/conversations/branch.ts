import { type RawBuilder, sql } from 'kysely';
import { CHARACTERS_PER_TOKEN } from '../../contracts/model/model-message.ts';
import type { ToldSurroundings } from '../../contracts/model/told-surroundings.ts';
import type { Database } from '../connection/database.ts';
import type { ConversationKey } from '../../contracts/values/ids.ts';

/** An earlier turn of a branch, without its text. */
export interface EarlierTurn {
  readonly turnId: string;
  /** Number of messages that the turn has in a prompt. */
  readonly messageCount: number;
  readonly tokens: number;
  /**
   * What the turn's model was told about the workspace. Null for all turns but the newest, and if its transcript is not
   * kept.
   */
  readonly told: ToldSurroundings | null;
  /**
   * Number of tokens of the summary that replaces this turn and those before it. Null when there is no such summary.
   */
  readonly summaryTokens: number | null;
}

/** A finished summary, named by the last turn that it covers. */
export interface FinishedSummary {
  readonly turnId: string;
  readonly tokens: number;
}

/** The branch of a conversation that a turn continues. */
export interface Branch {
  /** Earlier turns, newest first, as far as the prompt of the parent reached. */
  readonly turns: readonly EarlierTurn[];
  /** The oldest turn in the prompt of the parent. Null if there is no parent, or if its prompt is not known. */
  readonly anchorTurnId: string | null;
  /** The newest finished summary of turns that the prompt of the parent left out. Null if there is none. */
  readonly summary: FinishedSummary | null;
  /** Number of tokens of the message that begins the turn. 0 while there is no message. */
  readonly messageTokens: number;
  /**
   * Files that turns of other branches changed after the same parent, at most 20. Null if no other branch continues the
   * parent.
   */
  readonly otherBranchFiles: readonly string[] | null;
  /**
   * The notes that were posted since the parent began, oldest first. If there are many, only the newest: at most 50 of
   * them, and 32,000 characters.
   */
  readonly notes: readonly string[];
}

/** The position of a turn that has not been asked for yet. */
export interface NextTurnPosition extends ConversationKey {
  /** The turn before the position. Null if there is none. */
  readonly leaf: string | null;
}

/**
 * Largest number of turns of a branch that are read. The anchor bounds them already, except in conversations that began
 * before there were anchors.
 */
export const MAX_BRANCH_TURNS = 2_000;
/**
 * Number of turns before the anchor among which a late summary is looked for, which was finished only after the anchor
 * had moved.
 */
const MAX_LATE_TURNS = 200;
const MAX_OTHER_BRANCH_FILES = 20;
const MAX_NOTES = 50;
const MAX_NOTE_CHARACTERS = 32_000;

/**
 * The common table expression `turn_position`, whose one row is the position of a turn in its conversation, or the
 * position that it would get.
 */
type PositionCte = RawBuilder<unknown>;

/** Returns the position of a turn that is stored, with the message that asked for it. */
export const positionCteOf = (turnId: string): PositionCte => sql`
  turn_position as (
    select turn_id, turns.parent_turn_id, message.project_id, message.conversation_id, message.id as message_id,
      octet_length(message.content) as bytes
    from turns join chat_messages message using (turn_id)
    where turn_id = ${turnId} and message.sender = 'user' and message.steer_id is null
  )`;

/** Returns the position of the next turn after the turn `leaf`. It has no message yet, so all notes come before it. */
export const positionCteAfter = ({ projectId, conversationId, leaf }: NextTurnPosition): PositionCte => sql`
  turn_position as (
    select null::text as turn_id, ${leaf}::text as parent_turn_id, ${projectId}::text as project_id,
      ${conversationId}::text as conversation_id, null::bigint as message_id, 0 as bytes
  )`;

/**
 * Reads the turns before a position, the notes posted since its parent began, and the files that other branches
 * changed.
 */
export const loadBranch = async (db: Database, position: PositionCte): Promise<Branch> => {
  const [links, facts] = await Promise.all([loadChain(db, position), loadPositionFacts(db, position)]);
  return { ...branchTurnsOf(links), ...facts };
};

/**
 * Reads the turns that a prompt would continue after the turn `leafTurnId`: this turn, and those before it as far as
 * its own prompt reached, newest first. `model` is the model of this turn. Rejects if there is no such turn.
 */
export const loadBranchUpTo = async (
  db: Database,
  leafTurnId: string,
): Promise<BranchTurns & { model: string }> => {
  const links = loadChain(db, sql`turn_position as (select ${leafTurnId}::text as parent_turn_id)`);
  const leaf = db.selectFrom('turns').select('model').where('turn_id', '=', leafTurnId);
  const { model } = await leaf.executeTakeFirstOrThrow();
  return { ...branchTurnsOf(await links), model };
};

type BranchTurns = Pick<Branch, 'turns' | 'anchorTurnId' | 'summary'>;

const branchTurnsOf = (links: readonly Link[]): BranchTurns => ({
  turns: links.map(({ turnId, messages, tokens, told, summaryTokens }) => ({
    turnId,
    messageCount: Number(messages),
    tokens: Number(tokens),
    told,
    summaryTokens,
  })),
  anchorTurnId: links[0]?.anchor ?? null,
  summary: links[0]?.startingSummary ?? null,
});

interface Link {
  readonly turnId: string;
  readonly anchor: string | null;
  readonly messages: string;
  readonly tokens: string;
  readonly told: ToldSurroundings | null;
  readonly summaryTokens: number | null;
  readonly startingSummary: FinishedSummary | null;
}

const loadChain = async (db: Database, position: PositionCte): Promise<readonly Link[]> => {
  const { rows } = await sql<Link>`
    with recursive ${position}, chain as (
      select parent.turn_id, parent.parent_turn_id, parent.anchor_turn_id as anchor, 1 as depth
      from turn_position join turns parent on parent.turn_id = turn_position.parent_turn_id
      union all
      select turns.turn_id, turns.parent_turn_id, chain.anchor, depth + 1
      from chain join turns on turns.turn_id = chain.parent_turn_id
      where chain.turn_id is distinct from chain.anchor and depth < ${MAX_BRANCH_TURNS}
    )
    select chain.turn_id as "turnId", anchor, case when depth = 1 then told end as told,
      coalesce(cardinality(transcript.tokens), message_totals.messages) as messages,
      coalesce((select sum(one) from unnest(transcript.tokens) one), message_totals.tokens) as tokens,
      summary.tokens as "summaryTokens",
      case when depth = 1 then (${summaryBefore(sql`chain.turn_id`, sql`anchor`)}) end as "startingSummary"
    from chain left join turn_transcripts transcript using (turn_id)
    left join conversation_summaries summary
      on summary.turn_id = chain.turn_id and summary.done = cardinality(summary.turn_ids)
    left join lateral (
      select count(*) as messages,
        coalesce(sum(octet_length(content)), 0) / ${sql.lit(CHARACTERS_PER_TOKEN)} as tokens
      from chat_messages message where message.turn_id = chain.turn_id and transcript.turn_id is null
    ) message_totals on true
    order by depth`.execute(db);
  return rows;
};

/**
 * Returns the query for the newest finished summary of turns before the anchor. It may have been finished after the
 * anchor had moved. If the nearest turns have none, it is the summary with which the parent's prompt begins.
 */
const summaryBefore = (parent: RawBuilder<unknown>, anchor: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  with recursive left_out as (
    select first.parent_turn_id as turn_id, 1 as steps from turns first where first.turn_id = ${anchor}
    union all
    select turns.parent_turn_id, steps + 1 from left_out join turns using (turn_id)
    where steps < ${MAX_LATE_TURNS} and not exists (
      select from conversation_summaries found
      where found.turn_id = left_out.turn_id and found.done = cardinality(found.turn_ids))
  )
  select json_build_object('turnId', ready.turn_id, 'tokens', ready.tokens)
  from (
    select turn_id, steps from left_out
    union all
    select summary_turn_id, ${MAX_LATE_TURNS} + 1 from turns where turn_id = ${parent}
  ) near join conversation_summaries ready using (turn_id)
  where ready.done = cardinality(ready.turn_ids)
  order by steps limit 1`;

interface PositionRow {
  readonly bytes: number;
  readonly leavesBranch: boolean;
  readonly files: readonly string[] | null;
  readonly notes: readonly string[] | null;
}

/**
 * Reads the size of the turn's own message, the files that other branches changed, and the notes that were posted
 * before the message. Notes from before the parent are in the parent's prompt.
 */
const loadPositionFacts = async (
  db: Database,
  position: PositionCte,
): Promise<Omit<Branch, keyof BranchTurns>> => {
  const { rows } = await sql<PositionRow>`
    with recursive ${position}, left_turns as (
      select other.turn_id from turn_position join turns other on other.parent_turn_id = turn_position.parent_turn_id
      where other.turn_id is distinct from turn_position.turn_id
      union all
      select turns.turn_id from left_turns join turns on turns.parent_turn_id = left_turns.turn_id
    )
    select bytes, exists (select from left_turns) as "leavesBranch", (
      select json_agg(path order by path) from (
        select path from file_changes join left_turns using (turn_id)
        union
        select target_file from write_sessions join left_turns using (turn_id) where stage = 'committed'
        limit ${MAX_OTHER_BRANCH_FILES}
      ) changed
    ) as files, (
      select json_agg(content order by id) from (
        select id, content from chat_messages note
        where note.project_id = turn_position.project_id and note.conversation_id = turn_position.conversation_id
          and note.turn_id is null and note.content <> '' and (note.id < turn_position.message_id) is not false
          and note.id > coalesce((
            select id from chat_messages first
            where first.turn_id = turn_position.parent_turn_id and first.sender = 'user' and first.steer_id is null), 0)
        order by id desc limit ${MAX_NOTES}
      ) posted
    ) as notes
    from turn_position`.execute(db);
  const [row] = rows;
  return {
    messageTokens: Math.ceil((row?.bytes ?? 0) / CHARACTERS_PER_TOKEN),
    otherBranchFiles: row?.leavesBranch === true ? (row.files ?? []) : null,
    notes: newestNotes(row?.notes ?? []),
  };
};

/** Returns the newest notes that together have at most `MAX_NOTE_CHARACTERS`, oldest first. */
const newestNotes = (notes: readonly string[]): readonly string[] => {
  let characters = MAX_NOTE_CHARACTERS;
  const last = notes.findLastIndex((note) => (characters -= note.length) < 0);
  return notes.slice(last + 1);
};
