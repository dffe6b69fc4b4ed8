import { sql, type Kysely } from 'kysely';

/**
 * `summary_turn_id` is the summary that an attempt is made for, after which its workflow is named; it is null for calls
 * of turns. `swept_at` is the time at which a sweeper last checked whether that workflow still runs.
 */
const columns = sql`
  alter table call_spend add column summary_turn_id text,
    add column started_at timestamptz not null default now(), add column swept_at timestamptz`;

const openSummaries = sql`
  create index call_spend_open_summaries on call_spend (swept_at)
  where cost is null and summary_turn_id is not null`;

/**
 * Locks the conversation of a turn, unless it was removed. Summaries are a cost of their conversation, whose row is
 * locked before calls and days: the end of a turn locks in the order turn, conversation, calls, days.
 */
const lockConversation = sql`
  create function lock_conversation_of(of_turn text) returns void language plpgsql as $$
  begin
    perform from turns join conversations using (project_id, conversation_id)
      where turn_id = of_turn and removed_at is null for no key update of conversations;
  end $$`;

const addToConversation = sql`
  create function add_summary_cost(of_turn text, more bigint) returns void language plpgsql as $$
  begin
    update conversations set cost = coalesce(conversations.cost, 0) + more from turns
      where turn_id = of_turn and removed_at is null and conversations.project_id = turns.project_id
        and conversations.conversation_id = turns.conversation_id;
  end $$`;

/** Replaces the reservation of an attempt with its cost, once. */
const settle = sql`
  create function settle_spend(of_turn text, of_epoch integer, its_cost bigint) returns void language plpgsql as $$
  begin
    if of_epoch < 0 then perform lock_conversation_of(of_turn); end if;
    with settled as (
      update call_spend set cost = its_cost
      where turn_id = of_turn and epoch = of_epoch and cost is null returning owner, day, most
    )
    update spend set reserved = spend.reserved - settled.most, spent = spend.spent + its_cost
    from settled where spend.owner = settled.owner and spend.day = settled.day;
    if found and of_epoch < 0 then perform add_summary_cost(of_turn, its_cost); end if;
  end $$`;

/** The function of 0033, which now adds the cost of lost attempts at summaries to their conversation. */
const settleLost = sql`
  create or replace function settle_lost_spend(of_turn text, seen jsonb) returns void language plpgsql as $$
  declare
    of_summaries bigint;
  begin
    if exists (select from call_spend where turn_id = of_turn and epoch < 0 and cost is null) then
      perform lock_conversation_of(of_turn);
    end if;
    perform from call_spend where turn_id = of_turn order by epoch for update;
    perform from spend where (owner, day) in (select owner, day from call_spend where turn_id = of_turn)
      order by owner, day for update;
    with lost as (
      update call_spend set cost = least(most,
        prompt_cost + ceil(coalesce((seen ->> epoch::text)::numeric, 0) * output_price / 1000000))
      where turn_id = of_turn and cost is null returning epoch, owner, day, most, cost
    ), days as (
      update spend set reserved = spend.reserved - sums.most, spent = spend.spent + sums.cost
      from (select owner, day, sum(most) as most, sum(cost) as cost from lost group by owner, day) sums
      where spend.owner = sums.owner and spend.day = sums.day
    )
    select sum(cost) into of_summaries from lost where epoch < 0;
    if of_summaries > 0 then perform add_summary_cost(of_turn, of_summaries); end if;
  end $$`;

/**
 * Reserves like the function of 0038, and notes which summary the attempt is made for. Workers of the earlier version
 * still call that function.
 */
const reserve = sql`
  create function reserve_summary_spend(
    of_summary text, of_turn text, of_model text, at_most bigint, for_prompt bigint, per_output bigint
  ) returns integer language plpgsql as $$
  declare
    own integer;
  begin
    perform lock_conversation_of(of_turn);
    own := reserve_summary_spend(of_turn, of_model, at_most, for_prompt, per_output);
    update call_spend set summary_turn_id = of_summary where turn_id = of_turn and epoch = own and own < 0;
    return own;
  end $$`;

/** Adds the costs of summaries that were made before this migration. */
const madeBefore = sql`
  update conversations set cost = coalesce(conversations.cost, 0) + sums.cost
  from (
    select project_id, conversation_id, sum(call_spend.cost) as cost
    from call_spend join turns using (turn_id)
    where epoch < 0 and call_spend.cost is not null and removed_at is null
    group by project_id, conversation_id
  ) sums
  where conversations.project_id = sums.project_id and conversations.conversation_id = sums.conversation_id`;

/** Adds summaries to the costs of conversations, and lets sweepers find lost attempts by their workflow. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [
    columns,
    openSummaries,
    lockConversation,
    addToConversation,
    settle,
    settleLost,
    reserve,
    madeBefore,
  ]) {
    await statement.execute(db);
  }
};
