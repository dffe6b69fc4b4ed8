import { sql } from 'kysely';
import type { CompactInput } from '../../contracts/payload/compact-payloads.ts';
import type { Database } from '../connection/database.ts';
import { MAX_BRANCH_TURNS } from './branch.ts';

/**
 * Claims of summaries. A prompt gets only one summary, whichever turn's end asks for it (docs/context.md "Compaction").
 */
export interface SummaryClaims {
  /**
   * Begins a summary, decides which turns it covers, and returns its key. If a summary was begun before for turns of
   * the same prompt, returns the key of that summary. Returns undefined when such a summary is finished, when the
   * prompt no longer contains the turn, or when the conversation was removed.
   */
  claim(input: CompactInput): Promise<CompactInput | undefined>;
  /**
   * Removes a summary, unless it is finished. Called when nobody continues the summary, so that another one can begin.
   */
  abandon(turnId: string): Promise<void>;
}

/** Creates the claims in Postgres. The row in `conversation_summaries` exists before anybody works on the summary. */
export const createSummaryClaims = (db: Database): SummaryClaims => ({
  claim: (input) => db.transaction().execute((trx) => claim(trx, input)),
  async abandon(turnId) {
    await sql`
      delete from conversation_summaries
      where turn_id = ${turnId} and done < cardinality(turn_ids)`.execute(db);
  },
});

interface SummaryInChain {
  readonly turnId: string;
  readonly isReady: boolean;
}

/**
 * Claims under a lock on the conversation, so that turns which end at the same time claim one after the other.
 * Otherwise a prompt could get two summaries, since a turn of a model with another context window wants another
 * summary. The lock also makes a removal of the conversation wait until the row exists, and then remove the row.
 */
const claim = async (trx: Database, input: CompactInput): Promise<CompactInput | undefined> => {
  const locked = await sql`
    select from turns join conversations conversation using (project_id, conversation_id)
    where turn_id = ${input.leafTurnId} and removed_at is null for no key update of conversation`.execute(
    trx,
  );
  if (locked.rows.length === 0) return undefined;
  const { rows: begunSummaries } = await sql<SummaryInChain>`
    with recursive ${chainUpTo(input.leafTurnId)}
    select turn_id as "turnId", done = cardinality(turn_ids) as "isReady"
    from chain join conversation_summaries using (turn_id) order by depth`.execute(trx);
  if (begunSummaries.some(({ isReady }) => isReady)) return undefined;
  const [other] = begunSummaries;
  if (other) return { ...input, turnId: other.turnId };
  return (await insert(trx, input)) ? input : undefined;
};

/** Returns the common table expression of the turns that the prompt after `leafTurnId` may contain, newest first. */
const chainUpTo = (leafTurnId: string) => sql`
  chain as (
    select turn_id, parent_turn_id, anchor_turn_id as anchor, 1 as depth from turns
    where turn_id = ${leafTurnId}
    union all
    select turns.turn_id, turns.parent_turn_id, anchor, depth + 1
    from chain join turns on turns.turn_id = chain.parent_turn_id
    where chain.turn_id is distinct from chain.anchor and depth < ${MAX_BRANCH_TURNS}
  )`;

/**
 * Inserts a summary of the turns from the first one in the leaf's prompt to `turnId`, which continues the summary with
 * which that prompt begins. Returns false if the prompt does not contain `turnId`.
 */
const insert = async (trx: Database, { turnId, leafTurnId }: CompactInput): Promise<boolean> => {
  const { rows } = await sql`
    with recursive ${chainUpTo(leafTurnId)}
    insert into conversation_summaries (turn_id, turn_ids, after_turn_id, model, content)
    select ${turnId}, (
        select array_agg(turn_id order by depth desc) from chain
        where depth >= (select depth from chain where turn_id = ${turnId})
      ), before.turn_id, leaf.model, coalesce(before.content, '')
    from turns leaf left join conversation_summaries before
      on before.turn_id = leaf.summary_turn_id and before.done = cardinality(before.turn_ids)
    where leaf.turn_id = ${leafTurnId} and exists (select from chain where turn_id = ${turnId})
    returning turn_id`.execute(trx);
  return rows.length > 0;
};
