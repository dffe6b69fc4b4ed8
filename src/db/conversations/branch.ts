import { type RawBuilder, sql } from 'kysely';
import { CHARACTERS_PER_TOKEN } from '../../contracts/model/model-message.ts';
import type { KnownSurroundings } from '../../contracts/model/known-surroundings.ts';
import type { Database } from '../connection/database.ts';
import { PREPARED } from '../connection/prepared-statement.ts';
import { loadPositionFacts, type PositionFacts } from './position-facts.ts';
import type { PositionCte } from './turn-position.ts';

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
  readonly known: KnownSurroundings | null;
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
export interface Branch extends PositionFacts {
  /** Earlier turns, newest first, as far as the prompt of the parent reached. */
  readonly turns: readonly EarlierTurn[];
  /** The oldest turn in the prompt of the parent. Null if there is no parent, or if its prompt is not known. */
  readonly anchorTurnId: string | null;
  /** The newest finished summary of turns that the prompt of the parent left out. Null if there is none. */
  readonly summary: FinishedSummary | null;
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
  const leaf = db.selectFrom('turns').select('model').where('turn_id', '=', leafTurnId);
  const [links, { model }] = await Promise.all([
    loadChain(db, sql`turn_position as (select ${leafTurnId}::text as parent_turn_id)`),
    leaf.executeTakeFirstOrThrow(),
  ]);
  return { ...branchTurnsOf(links), model };
};

type BranchTurns = Pick<Branch, 'turns' | 'anchorTurnId' | 'summary'>;

const branchTurnsOf = (links: readonly Link[]): BranchTurns => ({
  turns: links.map(({ turnId, messages, tokens, known, summaryTokens }) => ({
    turnId,
    messageCount: Number(messages),
    tokens: Number(tokens),
    known,
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
  readonly known: KnownSurroundings | null;
  readonly summaryTokens: number | null;
  readonly startingSummary: FinishedSummary | null;
}

const loadChain = async (db: Database, position: PositionCte): Promise<readonly Link[]> => {
  const { rows } = await sql<Link>`${PREPARED}
    with recursive ${position}, chain as (
      select parent.turn_id, parent.parent_turn_id, parent.anchor_turn_id as anchor, 1 as depth
      from turn_position join turns parent on parent.turn_id = turn_position.parent_turn_id
      union all
      select turns.turn_id, turns.parent_turn_id, chain.anchor, depth + 1
      from chain join turns on turns.turn_id = chain.parent_turn_id
      where chain.turn_id is distinct from chain.anchor and depth < ${MAX_BRANCH_TURNS}
    )
    select chain.turn_id as "turnId", anchor, case when depth = 1 then told end as known,
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
