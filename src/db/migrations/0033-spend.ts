import { sql, type Kysely } from 'kysely';

/**
 * `most` is what was reserved. It counts until the attempt is settled, and until then `cost` is null. `wasted` is true
 * if the attempt was repeated.
 */
const calls = sql`
  create table call_spend (
    turn_id text not null references turns,
    epoch integer not null,
    step integer not null,
    model text not null,
    owner text not null,
    day date not null,
    most bigint not null,
    prompt_cost bigint not null,
    output_price bigint not null,
    cost bigint,
    wasted boolean not null default false,
    primary key (turn_id, epoch)
  )`;

const days = sql`
  create table spend (
    owner text not null,
    day date not null,
    spent bigint not null default 0,
    wasted bigint not null default 0,
    reserved bigint not null default 0,
    primary key (owner, day)
  )`;

const columns = sql`alter table turns add column cost bigint, add column wasted_cost bigint`;

/**
 * Settles the attempts of a turn that have no cost yet and that nobody else will settle. Such an attempt costs its
 * prompt and the output tokens in `seen` (by epoch), at most what was reserved. Every function locks in the order turn,
 * calls, days, so that no two wait for each other.
 */
const settleLost = sql`
  create function settle_lost_spend(of_turn text, seen jsonb) returns void language plpgsql as $$
  begin
    perform from call_spend where turn_id = of_turn order by epoch for update;
    perform from spend where (owner, day) in (select owner, day from call_spend where turn_id = of_turn)
      order by owner, day for update;
    with lost as (
      update call_spend set cost = least(most,
        prompt_cost + ceil(coalesce((seen ->> epoch::text)::numeric, 0) * output_price / 1000000))
      where turn_id = of_turn and cost is null returning owner, day, most, cost
    )
    update spend set reserved = spend.reserved - sums.most, spent = spend.spent + sums.cost
    from (select owner, day, sum(most) as most, sum(cost) as cost from lost group by owner, day) sums
    where spend.owner = sums.owner and spend.day = sums.day;
  end $$`;

/**
 * Reserves the cost of an attempt that has the newest claim of its step. Earlier attempts of the step count as wasted.
 */
const reserve = sql`
  create function reserve_spend(
    of_turn text, of_step integer, of_epoch integer, of_model text,
    at_most bigint, for_prompt bigint, per_output bigint, seen jsonb
  ) returns text language plpgsql as $$
  declare
    turn record;
    today date := (now() at time zone 'utc')::date;
  begin
    select status, claims, coalesce(started_by, 'local') as owner into turn
      from turns where turn_id = of_turn for no key update;
    if turn.status is distinct from 'running' then return 'ended'; end if;
    if (turn.claims #>> array[of_step::text, 'epoch'])::integer is distinct from of_epoch then
      return 'superseded';
    end if;
    if exists (select from call_spend where turn_id = of_turn and epoch = of_epoch) then return 'reserved'; end if;
    perform settle_lost_spend(of_turn, seen);
    with repeated as (
      update call_spend set wasted = true
      where turn_id = of_turn and step = of_step and not wasted returning owner, day, cost
    )
    update spend set wasted = spend.wasted + sums.cost
    from (select owner, day, sum(cost) as cost from repeated group by owner, day) sums
    where spend.owner = sums.owner and spend.day = sums.day;
    insert into spend (owner, day, reserved) values (turn.owner, today, at_most)
      on conflict (owner, day) do update set reserved = spend.reserved + at_most;
    insert into call_spend (turn_id, epoch, step, model, owner, day, most, prompt_cost, output_price)
      values (of_turn, of_epoch, of_step, of_model, turn.owner, today, at_most, for_prompt, per_output);
    return 'reserved';
  end $$`;

/**
 * Stores the cost of a turn, and adds it to the conversation, in the transaction that ends the turn. There is no cost
 * if a call of the turn had no price.
 */
const close = sql`
  create function close_spend(of_turn text, seen jsonb) returns void language plpgsql as $$
  begin
    perform settle_lost_spend(of_turn, seen);
    with sums as (
      select sum(cost) as cost, sum(cost) filter (where wasted) as wasted, count(distinct step) as steps
      from call_spend where turn_id = of_turn
    ), closed as (
      update turns set cost = coalesce(sums.cost, 0), wasted_cost = coalesce(sums.wasted, 0) from sums
      where turn_id = of_turn and sums.steps = (select count(*) from jsonb_object_keys(claims))
      returning project_id, conversation_id, turns.cost
    )
    update conversations set cost = coalesce(conversations.cost, 0) + closed.cost from closed
    where conversations.project_id = closed.project_id
      and conversations.conversation_id = closed.conversation_id;
  end $$`;

/** Adds the cost of model calls, in whole millionths: by attempt, by turn and conversation, by key and UTC day. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [calls, days, columns, settleLost, reserve, close]) await statement.execute(db);
  await sql`alter table conversations add column cost bigint`.execute(db);
};
