import { sql } from 'kysely';
import type { TokenUsage } from '../../contracts/model/model-message.ts';
import type { CompactInput } from '../../contracts/payload/compact-payloads.ts';
import type { ReservedCosts } from '../../contracts/model/model-price.ts';
import { type ClaimOptions, CLAIM_INTERVAL } from '../claims/sweep-claim.ts';
import type { Database } from '../connection/database.ts';
import { type TurnText, loadTexts } from './transcript-repository.ts';

/** A summary that is being made, with the turns that it does not cover yet. */
interface UnfinishedSummary {
  readonly kind: 'open';
  /** Model of the turn whose end has begun the summary. */
  readonly model: string;
  readonly projectId: string;
  readonly conversationId: string;
  /** True when the turn that pays for the step (`leafTurnId`) has a limit of cost, of its own or of its key. */
  readonly isBudgeted: boolean;
  /**
   * The text so far. Before the first step it is the text of the summary that this one continues, or empty if there is
   * none.
   */
  readonly content: string;
  /** Number of the summary's own turns that `content` covers. */
  readonly done: number;
  /** The turns that `content` does not cover yet, oldest first. */
  readonly rest: readonly TurnText[];
}

/**
 * The next work of a summary. `ready` means that nothing is left to do, `gone` that there is no such summary: it was
 * abandoned, or its conversation was removed.
 */
export type SummaryWork = UnfinishedSummary | { readonly kind: 'ready' } | { readonly kind: 'gone' };

/** The result of one step of a summary. */
export interface SummaryStep {
  /** Number of turns that the summary covered before the step. */
  readonly before: number;
  /** Number of turns that the summary covers now. */
  readonly done: number;
  readonly content: string;
  /** Number of tokens of `content`. */
  readonly tokens: number;
  readonly usage: TokenUsage;
}

/** A model call that summarises and is about to begin. */
export interface SummaryReservation extends ReservedCosts {
  readonly model: string;
}

/** Summaries of what prompts leave out (docs/context.md "Compaction"). */
export interface SummaryRepository {
  /** Reads what is left to do for a summary. */
  loadWork(input: CompactInput): Promise<SummaryWork>;
  /** Stores a step. Returns false when the summary was removed meanwhile, or when another attempt was faster. */
  store(turnId: string, step: SummaryStep): Promise<boolean>;
  /**
   * Reserves the cost of an attempt, and settles lost attempts. Returns the epoch with which the attempt is settled,
   * `over_budget` if the key's budget would not pay for it, or `gone` if the conversation was removed or the turn still
   * runs.
   */
  reserve(input: CompactInput, call: SummaryReservation): Promise<number | 'over_budget' | 'gone'>;
  /**
   * Settles the lost attempts at summaries that the turn `leafTurnId` pays for, when no other attempt follows. Has no
   * effect while the turn runs.
   */
  settleLost(leafTurnId: string): Promise<void>;
  /**
   * Claims summaries that have attempts without a cost, the longest overdue first. For `CLAIM_INTERVAL`, no other
   * sweeper gets them.
   */
  claimReserved(options: ClaimOptions): Promise<CompactInput[]>;
}

/** Creates the repository of summaries in Postgres: `conversation_summaries`, and `call_spend` for what they cost. */
export const createSummaryRepository = (db: Database): SummaryRepository => ({
  loadWork: (input) => loadWork(db, input),
  async store(turnId, { before, done, content, tokens, usage }) {
    const { rows } = await sql`
      update conversation_summaries set content = ${content}, done = ${done}, tokens = ${tokens},
        prompt_tokens = prompt_tokens + ${usage.promptTokens},
        completion_tokens = completion_tokens + ${usage.completionTokens}
      where turn_id = ${turnId} and done = ${before} returning turn_id`.execute(db);
    return rows.length > 0;
  },
  async reserve({ turnId, leafTurnId }, { model, maxCost, promptCost, outputPrice }) {
    const { rows } = await sql<{ epoch: number | null }>`
      select reserve_summary_spend(${turnId}, ${leafTurnId}, ${model}, ${maxCost}, ${promptCost}, ${outputPrice})
        as epoch`.execute(db);
    const epoch = rows[0]?.epoch ?? null;
    if (epoch === null) return 'gone';
    return epoch === 0 ? 'over_budget' : epoch;
  },
  async settleLost(leafTurnId) {
    await sql`select settle_lost_spend(${leafTurnId}, '{}') from turns
      where turn_id = ${leafTurnId} and status <> 'running'`.execute(db);
  },
  async claimReserved({ olderThanMs, limit }) {
    const { rows } = await sql<CompactInput>`
      with due as (
        select turn_id, epoch from call_spend
        where cost is null and summary_turn_id is not null
          and started_at <= now() - ${olderThanMs} * interval '1 millisecond'
          and coalesce(swept_at + ${CLAIM_INTERVAL} < now(), true)
        order by swept_at nulls first limit ${limit}
        for update skip locked
      )
      update call_spend set swept_at = now() from due
      where call_spend.turn_id = due.turn_id and call_spend.epoch = due.epoch
      returning summary_turn_id as "turnId", call_spend.turn_id as "leafTurnId"`.execute(db);
    return rows;
  },
});

interface SummaryRow {
  readonly projectId: string;
  readonly conversationId: string;
  readonly isBudgeted: boolean;
  readonly turnIds: readonly string[];
  readonly model: string;
  readonly content: string;
  readonly done: number;
  readonly isReady: boolean;
}

const loadWork = async (db: Database, input: CompactInput): Promise<SummaryWork> => {
  const { rows } = await sql<SummaryRow>`
    select leaf.project_id as "projectId", leaf.conversation_id as "conversationId",
      coalesce(leaf.day_cost_limit, leaf.cost_limit) is not null as "isBudgeted",
      summary.turn_ids as "turnIds", summary.model, summary.content, done, done = cardinality(turn_ids) as "isReady"
    from conversation_summaries summary join turns leaf on leaf.turn_id = ${input.leafTurnId}
    where summary.turn_id = ${input.turnId} and leaf.removed_at is null`.execute(db);
  const [row] = rows;
  if (!row) return { kind: 'gone' };
  const { turnIds, isReady, ...open } = row;
  if (isReady) return { kind: 'ready' };
  const anchorTurnId = turnIds[0] ?? input.turnId;
  const { turns } = await loadTexts(db, {
    turnId: input.turnId,
    anchorTurnId,
    summaryTurnId: null,
    includesTurn: true,
  });
  return { kind: 'open', ...open, rest: turns.slice(open.done) };
};
