import { sql } from 'kysely';
import type { TokenUsage } from '../../contracts/model-message.ts';
import type { CompactInput } from '../../contracts/payload/compact-payloads.ts';
import { type ClaimOptions, SWEEP_REST } from '../claims/sweep-claim.ts';
import type { Database } from '../connection/database.ts';
import { type TurnText, loadTexts } from './transcript-repository.ts';

/** A summary that is being made, with the turns that are still to be taken in. */
export interface OpenSummary {
  readonly kind: 'open';
  /** Of the turn whose end has asked for it. */
  readonly model: string;
  readonly projectId: string;
  readonly conversationId: string;
  /** The key that asked for that turn has a budget. */
  readonly isBudgeted: boolean;
  /** So far; empty before the first step where none goes before it. */
  readonly content: string;
  /** The number of its turns that the summary covers. */
  readonly done: number;
  /** Those that are still to come, oldest first. */
  readonly rest: readonly TurnText[];
}

/** `ready`: nothing is left to do. `gone`: the conversation was removed, or never was. */
export type SummaryWork = OpenSummary | { readonly kind: 'ready' } | { readonly kind: 'gone' };

/** One step of a summary that was made. */
export interface SummaryStep {
  /** The number of turns that it covered before, and that it covers now. */
  readonly before: number;
  readonly done: number;
  readonly content: string;
  /** Of the text. */
  readonly tokens: number;
  readonly usage: TokenUsage;
}

/** The largest cost of a model call that summarises; whole millionths, as in `CallReservation`. */
export interface SummaryReservation {
  readonly model: string;
  readonly most: number;
  readonly promptCost: number;
  readonly outputPrice: number;
}

/** Summaries of what prompts leave out (docs/context.md "Compaction"). */
export interface SummaryRepository {
  /** Begins a summary, or goes on with it: which turns it stands for is decided by the first. */
  open(input: CompactInput): Promise<SummaryWork>;
  /** False: the conversation was removed meanwhile, or another attempt was sooner. */
  store(turnId: string, step: SummaryStep): Promise<boolean>;
  /** The epoch by which it is settled; `over`: the key's budget would not pay for it. Settles lost attempts. */
  reserve(input: CompactInput, call: SummaryReservation): Promise<number | 'over' | 'gone'>;
  /** Settles attempts that were lost, where no other follows. */
  settleLost(leafTurnId: string): Promise<void>;
  /** Summaries for which something is reserved, longest not looked at first; two sweepers never get the same one. */
  claimReserved(options: ClaimOptions): Promise<CompactInput[]>;
}

/** Summaries in Postgres: `conversation_summaries`, and `call_spend` for what they cost. */
export const createSummaryRepository = (db: Database): SummaryRepository => ({
  open: (input) => openSummary(db, input),
  async store(turnId, { before, done, content, tokens, usage }) {
    const { rows } = await sql`
      update conversation_summaries set content = ${content}, done = ${done}, tokens = ${tokens},
        prompt_tokens = prompt_tokens + ${usage.promptTokens},
        completion_tokens = completion_tokens + ${usage.completionTokens}
      where turn_id = ${turnId} and done = ${before} returning turn_id`.execute(db);
    return rows.length > 0;
  },
  async reserve({ turnId, leafTurnId }, { model, most, promptCost, outputPrice }) {
    const { rows } = await sql<{ epoch: number | null }>`
      select reserve_summary_spend(${turnId}, ${leafTurnId}, ${model}, ${most}, ${promptCost}, ${outputPrice})
        as epoch`.execute(db);
    const epoch = rows[0]?.epoch ?? null;
    if (epoch === null) return 'gone';
    return epoch === 0 ? 'over' : epoch;
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
          and coalesce(swept_at + ${SWEEP_REST} < now(), true)
        order by swept_at nulls first limit ${limit}
        for update skip locked
      )
      update call_spend set swept_at = now() from due
      where call_spend.turn_id = due.turn_id and call_spend.epoch = due.epoch
      returning summary_turn_id as "turnId", call_spend.turn_id as "leafTurnId"`.execute(db);
    return rows;
  },
});

interface StoredSummary {
  readonly turnIds: readonly string[];
  readonly model: string;
  readonly content: string;
  readonly done: number;
  readonly isReady: boolean;
}

interface Asking {
  readonly projectId: string;
  readonly conversationId: string;
  readonly isBudgeted: boolean;
}

/** The lock on the conversation keeps its removal out until the row is there, which it then removes. */
const openSummary = async (db: Database, input: CompactInput): Promise<SummaryWork> => {
  const found = await db.transaction().execute(async (trx) => {
    const { rows: asking } = await sql<Asking>`
      select conversation.project_id as "projectId", conversation.conversation_id as "conversationId",
        coalesce(day_cost_limit, cost_limit) is not null as "isBudgeted"
      from turns join conversations conversation using (project_id, conversation_id)
      where turn_id = ${input.leafTurnId} and removed_at is null for key share of conversation`.execute(trx);
    const [asked] = asking;
    if (!asked) return undefined;
    await insertOnce(trx, input);
    const { rows } = await sql<StoredSummary>`
      select turn_ids as "turnIds", model, content, done, done = cardinality(turn_ids) as "isReady"
      from conversation_summaries where turn_id = ${input.turnId}`.execute(trx);
    return rows[0] && { ...asked, ...rows[0] };
  });
  if (!found) return { kind: 'gone' };
  const { turnIds, isReady, ...open } = found;
  if (isReady) return { kind: 'ready' };
  const anchorTurnId = turnIds[0] ?? input.turnId;
  const { turns } = await loadTexts(db, {
    turnId: input.turnId,
    anchorTurnId,
    summaryTurnId: null,
    withItself: true,
  });
  return { kind: 'open', ...open, rest: turns.slice(open.done) };
};

/** Stands for the turns from the one with which the leaf's prompt begins, and goes on from that prompt's summary. */
const insertOnce = async (trx: Database, { turnId, leafTurnId }: CompactInput): Promise<void> => {
  await sql`
    with recursive chain as (
      select turn_id, parent_turn_id, anchor_turn_id as anchor, 1 as depth from turns
      where turn_id = ${leafTurnId}
      union all
      select turns.turn_id, turns.parent_turn_id, anchor, depth + 1
      from chain join turns on turns.turn_id = chain.parent_turn_id
      where chain.turn_id is distinct from chain.anchor and depth < ${MAX_TURNS}
    )
    insert into conversation_summaries (turn_id, turn_ids, after_turn_id, model, content)
    select ${turnId}, (
        select array_agg(turn_id order by depth desc) from chain
        where depth >= (select depth from chain where turn_id = ${turnId})
      ), before.turn_id, leaf.model, coalesce(before.content, '')
    from turns leaf left join conversation_summaries before
      on before.turn_id = leaf.summary_turn_id and before.done = cardinality(before.turn_ids)
    where leaf.turn_id = ${leafTurnId} and exists (select from chain where turn_id = ${turnId})
    on conflict do nothing`.execute(trx);
};

const MAX_TURNS = 2_000;
