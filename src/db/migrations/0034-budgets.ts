import { sql, type Kysely } from 'kysely';

/** The largest cost of the turn, and of its key on a UTC day, in whole millionths. Null means no limit. */
const columns = sql`alter table turns add column cost_limit bigint, add column day_cost_limit bigint`;

/**
 * The function of 0033, which now reserves nothing beyond these limits. An attempt that may not begin has a cost of 0.
 */
const reserve = sql`
  create or replace function reserve_spend(
    of_turn text, of_step integer, of_epoch integer, of_model text,
    at_most bigint, for_prompt bigint, per_output bigint, seen jsonb
  ) returns text language plpgsql as $$
  declare
    turn record;
    known text;
    is_over boolean;
    today date := (now() at time zone 'utc')::date;
  begin
    select status, claims, coalesce(started_by, 'local') as owner, cost_limit, day_cost_limit into turn
      from turns where turn_id = of_turn for no key update;
    if turn.status is distinct from 'running' then return 'ended'; end if;
    if (turn.claims #>> array[of_step::text, 'epoch'])::integer is distinct from of_epoch then
      return 'superseded';
    end if;
    select case when at_most = most then 'reserved' else 'over' end into known
      from call_spend where turn_id = of_turn and epoch = of_epoch;
    if found then return known; end if;
    perform settle_lost_spend(of_turn, seen);
    with repeated as (
      update call_spend set wasted = true
      where turn_id = of_turn and step = of_step and not wasted returning owner, day, cost
    )
    update spend set wasted = spend.wasted + sums.cost
    from (select owner, day, sum(cost) as cost from repeated group by owner, day) sums
    where spend.owner = sums.owner and spend.day = sums.day;
    is_over := (select coalesce(sum(coalesce(cost, most)), 0) from call_spend where turn_id = of_turn) + at_most
      > turn.cost_limit;
    if is_over is not true then
      insert into spend (owner, day, reserved) select turn.owner, today, at_most
        where (at_most <= turn.day_cost_limit) is not false
        on conflict (owner, day) do update set reserved = spend.reserved + at_most
        where (spend.spent + spend.reserved + at_most <= turn.day_cost_limit) is not false;
      is_over := not found;
    end if;
    insert into call_spend (turn_id, epoch, step, model, owner, day, most, prompt_cost, output_price, cost)
      values (of_turn, of_epoch, of_step, of_model, turn.owner, today,
        case when is_over then 0 else at_most end, for_prompt, per_output, case when is_over then 0 end);
    if is_over then return 'over'; end if;
    return 'reserved';
  end $$`;

/** Adds budgets of turns and keys, which no reservation exceeds. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [columns, reserve]) await statement.execute(db);
};
