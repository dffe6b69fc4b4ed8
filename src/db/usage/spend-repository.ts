import { sql } from 'kysely';
import { CHARACTERS_PER_TOKEN } from '../../contracts/model/model-message.ts';
import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import type { Database } from '../connection/database.ts';

/** Tokens of output that were seen of attempts, by their epochs. */
export type SeenTokens = Readonly<Record<number, number>>;

/** An attempt of a model call that is about to begin. Costs are whole millionths of the currency. */
export interface CallReservation {
  readonly turnId: string;
  readonly step: number;
  /** The newest claim of the step. */
  readonly epoch: number;
  readonly model: string;
  /** Whole millionths that the attempt may cost at most. */
  readonly maxCost: number;
  /** The cost of its prompt in whole millionths, without any output. */
  readonly promptCost: number;
  /** Millionths of a millionth for each token of output. */
  readonly outputPrice: number;
  /** Tokens that are known of earlier, lost attempts. */
  readonly seen: SeenTokens;
}

/**
 * The result of reserving the cost of an attempt.
 *
 * - `over_budget`: a budget would not pay for it.
 * - `superseded`: a later attempt has claimed the step.
 * - `ended`: the turn has ended.
 */
export type ReserveOutcome = 'reserved' | 'over_budget' | 'superseded' | 'ended';

/** The spending of a key on a day: `wasted` is the part of `spent` for attempts that were repeated. */
export interface DaySpend {
  readonly owner: string;
  /** The day as `YYYY-MM-DD` in UTC. */
  readonly day: string;
  readonly spent: number;
  readonly wasted: number;
  /** Millionths that are reserved for attempts which still run. */
  readonly reserved: number;
}

/** The requested days: the last `days` ones, including today. They are days of one owner or of all. */
export interface SpendWindow {
  readonly days: number;
  readonly owner?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The cost of model calls, by attempt and by key and UTC day. */
export interface SpendRepository {
  /** Reserves before an attempt, and settles lost attempts of the turn; a repeat changes nothing. */
  reserve(call: CallReservation): Promise<ReserveOutcome>;
  /** Replaces what was reserved by what an attempt has cost; not twice, and not where it counts as lost. */
  settle(turnId: string, epoch: number, cost: number): Promise<void>;
  /** Returns what an owner has spent and reserved today (UTC); zeros for nothing. */
  today(owner: string): Promise<Pick<DaySpend, 'spent' | 'reserved'>>;
  /** Lists days, newest first, each by owner; `hasMore` is true when further ones follow. */
  days(window: SpendWindow): Promise<{ readonly rows: readonly DaySpend[]; readonly hasMore: boolean }>;
}

/** Costs in Postgres: `call_spend`, one row for each attempt, and `spend`, one for each owner and day. */
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
  async today(owner) {
    const { rows } = await listDays(db, { owner, days: 1, limit: 1, offset: 0 });
    return rows[0] ?? { spent: 0, reserved: 0 };
  },
  days: (window) => listDays(db, window),
});

const listDays = async (db: Database, { days, owner, limit, offset }: SpendWindow) => {
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
 * Settles all attempts of a turn, and gives turn and conversation their sums, in the transaction that ends the turn.
 */
export const closeSpend = async (trx: Database, turnId: string, seen: SeenTokens): Promise<void> => {
  await sql`select close_spend(${turnId}, ${JSON.stringify(seen)}::jsonb)`.execute(trx);
};

/**
 * Returns the output tokens that readers have seen of each attempt, whether or not they stand: for attempts whose end
 * is unknown.
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
