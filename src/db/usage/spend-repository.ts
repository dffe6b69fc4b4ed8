import { sql } from 'kysely';
import { CHARACTERS_PER_TOKEN } from '../../contracts/model/model-message.ts';
import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import type { ReservedCosts } from '../../contracts/model/model-price.ts';
import type { Database } from '../connection/database.ts';

/** Output tokens that readers have seen, by the epoch of the attempt. */
export type SeenTokens = Readonly<Record<number, number>>;

/** An attempt of a model call that is about to begin. */
export interface CallReservation extends ReservedCosts {
  readonly turnId: string;
  readonly step: number;
  /** The epoch of the attempt, which has to be the newest claim of the step. */
  readonly epoch: number;
  readonly model: string;
  /** The output tokens that were seen of earlier, lost attempts of the turn. */
  readonly seen: SeenTokens;
}

/**
 * The result of reserving the cost of an attempt.
 *
 * - `reserved`: the attempt may begin.
 * - `over_budget`: a budget would not pay for it.
 * - `superseded`: a later attempt has claimed the step.
 * - `ended`: the turn has ended.
 */
export type ReserveOutcome = 'reserved' | 'over_budget' | 'superseded' | 'ended';

/** The spending of a key on a day, in whole millionths of the currency. */
export interface DaySpend {
  readonly owner: string;
  /** The day as `YYYY-MM-DD` in UTC. */
  readonly day: string;
  /** The cost of settled attempts, including those that were repeated. */
  readonly spent: number;
  /** The part of `spent` for attempts that were repeated. */
  readonly wasted: number;
  /** The most that attempts without a cost may cost. They still run, or were lost and are not settled yet. */
  readonly reserved: number;
}

/**
 * The days that are listed: the last `days` ones, including today. Undefined as `owner` means the days of all owners.
 */
export interface SpendSelection {
  readonly days: number;
  readonly owner?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The cost of model calls, by attempt, and by key and UTC day. */
export interface SpendRepository {
  /**
   * Reserves the cost of an attempt before it begins, and settles lost attempts of the turn. A repeat changes nothing.
   */
  reserve(call: CallReservation): Promise<ReserveOutcome>;
  /**
   * Replaces the reservation of an attempt by its cost, in whole millionths. Does nothing if the attempt is already
   * settled, even as a lost one.
   */
  settle(turnId: string, epoch: number, cost: number): Promise<void>;
  /** Returns what an owner has spent and reserved today (UTC). Both are 0 if the owner has no attempt of today. */
  loadToday(owner: string): Promise<Pick<DaySpend, 'spent' | 'reserved'>>;
  /** Lists days, newest first, and by owner within a day. `hasMore` is true when further days follow. */
  listDays(
    selection: SpendSelection,
  ): Promise<{ readonly rows: readonly DaySpend[]; readonly hasMore: boolean }>;
}

/**
 * Creates the repository of costs in Postgres: `call_spend`, one row per attempt, and `spend`, one per owner and day.
 */
export const createSpendRepository = (db: Database): SpendRepository => ({
  async reserve({ turnId, step, epoch, model, maxCost, promptCost, outputPrice, seen }) {
    const { rows } = await sql<{ outcome: Exclude<ReserveOutcome, 'over_budget'> | 'over' }>`
      select reserve_spend(${turnId}, ${step}, ${epoch}, ${model}, ${maxCost}, ${promptCost}, ${outputPrice},
        ${JSON.stringify(seen)}::jsonb) as outcome`.execute(db);
    const [row] = rows;
    if (!row) throw new Error(`Turn ${turnId}: expected an answer to the reservation, received none.`);
    return row.outcome === 'over' ? 'over_budget' : row.outcome;
  },
  async settle(turnId, epoch, cost) {
    await sql`select settle_spend(${turnId}, ${epoch}, ${cost})`.execute(db);
  },
  async loadToday(owner) {
    const { rows } = await listDays(db, { owner, days: 1, limit: 1, offset: 0 });
    return rows[0] ?? { spent: 0, reserved: 0 };
  },
  listDays: (window) => listDays(db, window),
});

const listDays = async (db: Database, { days, owner, limit, offset }: SpendSelection) => {
  const { rows } = await sql<Record<keyof DaySpend, string>>`
    select owner, day::text as day, spent, wasted, reserved from spend
    where day > (now() at time zone 'utc')::date - ${days}::integer
      and (${owner ?? null}::text is null or owner = ${owner ?? null}::text)
    order by spend.day desc, owner limit ${limit + 1} offset ${offset}`.execute(db);
  const page = rows.slice(0, limit).map((row) => ({
    owner: row.owner,
    day: row.day,
    spent: Number(row.spent),
    wasted: Number(row.wasted),
    reserved: Number(row.reserved),
  }));
  return { rows: page, hasMore: rows.length > limit };
};

/**
 * Settles all attempts of a turn. Unless a call had no price, also stores the cost of the turn and adds it to that of
 * its conversation. Part of the transaction that ends the turn.
 */
export const closeSpend = async (trx: Database, turnId: string, seen: SeenTokens): Promise<void> => {
  await sql`select close_spend(${turnId}, ${JSON.stringify(seen)}::jsonb)`.execute(trx);
};

/**
 * Returns how many output tokens readers have seen of each attempt, including text that was withdrawn. These numbers
 * are estimates, for attempts that report no usage.
 */
export const seenTokensOf = (batches: readonly EventBatch[]): SeenTokens => {
  const characters = new Map<number, number>();
  for (const { epoch, events } of batches) {
    const seen = events.reduce((sum, event) => sum + (typeof event === 'string' ? event.length : 0), 0);
    characters.set(epoch, (characters.get(epoch) ?? 0) + seen);
  }
  return Object.fromEntries(
    [...characters].map(([epoch, count]) => [epoch, Math.ceil(count / CHARACTERS_PER_TOKEN)]),
  );
};
