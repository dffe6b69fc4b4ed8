import { sql, type Kysely } from 'kysely';

/**
 * `turn_id` is the last turn that the summary replaces, and `turn_ids` are the turns that it is made of, oldest first.
 * `content` covers the first `done` of these, after everything that the summary `after_turn_id` covers.
 */
const summaries = sql`
  create table conversation_summaries (
    turn_id text primary key references turns,
    turn_ids text[] not null,
    after_turn_id text,
    model text not null,
    content text not null,
    done integer not null default 0,
    tokens integer not null default 0,
    prompt_tokens bigint not null default 0,
    completion_tokens bigint not null default 0,
    created_at timestamptz not null default now()
  )`;

/** The last turn of the summary with which the prompt of a turn begins. Null if it begins with none. */
const columns = sql`alter table turns add column summary_turn_id text`;

/**
 * Reserves the cost of a model call that summarises, paid by the key that asked for the turn. Returns the epoch of the
 * attempt, which is below zero. Returns zero if the key's budget of the day would not pay for it, and null if the turn
 * was removed or still runs. Earlier attempts are lost, so they are settled.
 */
const reserve = sql`
  create function reserve_summary_spend(
    of_turn text, of_model text, at_most bigint, for_prompt bigint, per_output bigint
  ) returns integer language plpgsql as $$
  declare
    turn record;
    own integer;
    today date := (now() at time zone 'utc')::date;
  begin
    select coalesce(started_by, 'local') as owner, day_cost_limit, removed_at, status into turn
      from turns where turn_id = of_turn for no key update;
    if turn.owner is null or turn.removed_at is not null or turn.status = 'running' then return null; end if;
    perform settle_lost_spend(of_turn, '{}');
    insert into spend (owner, day, reserved) select turn.owner, today, at_most
      where (at_most <= turn.day_cost_limit) is not false
      on conflict (owner, day) do update set reserved = spend.reserved + at_most
      where (spend.spent + spend.reserved + at_most <= turn.day_cost_limit) is not false;
    if not found then return 0; end if;
    own := least((select min(epoch) from call_spend where turn_id = of_turn), 0) - 1;
    insert into call_spend (turn_id, epoch, step, model, owner, day, most, prompt_cost, output_price)
      values (of_turn, own, 0, of_model, turn.owner, today, at_most, for_prompt, per_output);
    return own;
  end $$`;

/** Adds summaries of what prompts leave out, and their costs. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [summaries, columns, reserve]) await statement.execute(db);
};
