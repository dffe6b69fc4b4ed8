import pg from 'pg';
import { eventually } from '../../support/eventually.ts';

/**
 * A sum as it is stored, and the sum over attempts of model calls to which it should be equal (`counted`), in
 * millionths.
 */
interface Sum {
  readonly of: string;
  readonly stored: string | null;
  readonly counted: string | null;
}

/** Selects every sum of costs beside the sum of its attempts. */
const SUMS = `
  select 'day ' || day as of, spent::text as stored, (
    select sum(cost)::text from call_spend c where c.owner = spend.owner and c.day = spend.day) as counted from spend
  union all
  select 'waste of ' || day, wasted::text, (
    select coalesce(sum(cost), 0)::text from call_spend c
    where c.owner = spend.owner and c.day = spend.day and wasted) from spend
  union all
  select 'reserved of ' || day, reserved::text, '0' from spend
  union all
  select 'turn ' || turn_id, cost::text, (
    select sum(cost)::text from call_spend c where c.turn_id = turns.turn_id and epoch > 0) from turns
  union all
  select 'conversation ' || conversation_id, cost::text, (
    select sum(c.cost)::text from call_spend c join turns t using (turn_id)
    where (t.project_id, t.conversation_id) = (conversations.project_id, conversations.conversation_id)
  ) from conversations`;

/** An attempt of a model call; attempts of summaries have negative epochs. */
interface Attempt {
  readonly epoch: number;
  readonly model: string;
  readonly cost: string | null;
  readonly wasted: boolean;
}

/** What model calls have cost, read from a stack's own Postgres. */
export class Spending {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(databaseUrl: string): Promise<Spending> {
    const client = new pg.Client({ connectionString: databaseUrl });
    // The database is dropped by force together with its stack.
    client.on('error', () => undefined);
    await client.connect();
    return new Spending(client);
  }

  /** Returns the sums that do not agree, and what is still reserved; every turn has to have ended. */
  async wrong(): Promise<Sum[]> {
    const { rows } = await this.#client.query<Sum>(SUMS);
    return rows.filter(({ stored, counted }) => stored !== counted);
  }

  /** Returns the attempts of a conversation's turns and of its summaries, in the order in which they began. */
  async attempts(conversationId: string): Promise<Attempt[]> {
    const { rows } = await this.#client.query<Attempt>(
      `select epoch, c.model, c.cost, wasted from call_spend c join turns using (turn_id)
       where conversation_id = $1 order by c.started_at, epoch`,
      [conversationId],
    );
    return rows;
  }

  /** Returns the summaries that were begun for a conversation. */
  async summaries(conversationId: string): Promise<{ turnId: string; content: string; isReady: boolean }[]> {
    const { rows } = await this.#client.query<{ turnId: string; content: string; isReady: boolean }>(
      `select s.turn_id as "turnId", s.content, s.done = cardinality(s.turn_ids) as "isReady"
       from conversation_summaries s join turns using (turn_id) where conversation_id = $1`,
      [conversationId],
    );
    return rows;
  }

  /** Returns the cost of all attempts, in millionths. */
  async paid(): Promise<number> {
    const { rows } = await this.#client.query<{ sum: string | null }>('select sum(cost) from call_spend');
    return Number(rows[0]?.sum ?? 0);
  }

  /** Returns how much is reserved over all keys and days, in millionths. */
  async reserved(): Promise<number> {
    const { rows } = await this.#client.query<{ sum: string | null }>('select sum(reserved) from spend');
    return Number(rows[0]?.sum ?? 0);
  }

  /**
   * Locks the sums of all days, calls `begin`, and waits until a transaction that settles an attempt waits for the
   * lock. Then calls `meanwhile` and ends that transaction, so that what it was about to store is lost.
   */
  async strikeSettling(begin: () => void, meanwhile: () => Promise<void>): Promise<void> {
    await this.#client.query('begin');
    try {
      await this.#client.query('select from spend for update');
      begin();
      const waiting = await this.#waiting();
      await meanwhile();
      await this.#client.query('select pg_terminate_backend($1)', [waiting]);
    } finally {
      await this.#client.query('rollback');
    }
  }

  /**
   * Returns the process id of a connection whose transaction waits to settle an attempt. Postgres announces no waits.
   */
  #waiting(): Promise<number> {
    return eventually('a transaction that waits to settle an attempt', async () => {
      // Without this the transaction would see the activity of its first look again.
      await this.#client.query('select pg_stat_clear_snapshot()');
      const { rows } = await this.#client.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database()
         and wait_event_type = 'Lock' and query like '%settle_spend%'`,
      );
      return rows[0]?.pid;
    });
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}
