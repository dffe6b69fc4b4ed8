import { sql, type Kysely } from 'kysely';

/** The default is a constant, so that Postgres rewrites no row. */
const column = sql`alter table conversations add column wasted_cost bigint not null default 0`;

/** The function of 0033, which now also adds the wasted part of the turn's cost to the conversation. */
const close = sql`
  create or replace function close_spend(of_turn text, seen jsonb) returns void language plpgsql as $$
  begin
    perform settle_lost_spend(of_turn, seen);
    with sums as (
      select sum(cost) as cost, sum(cost) filter (where wasted) as wasted, count(distinct step) as steps
      from call_spend where turn_id = of_turn
    ), closed as (
      update turns set cost = coalesce(sums.cost, 0), wasted_cost = coalesce(sums.wasted, 0) from sums
      where turn_id = of_turn and sums.steps = (select count(*) from jsonb_object_keys(claims))
      returning project_id, conversation_id, turns.cost, turns.wasted_cost
    )
    update conversations set cost = coalesce(conversations.cost, 0) + closed.cost,
      wasted_cost = conversations.wasted_cost + closed.wasted_cost
    from closed
    where conversations.project_id = closed.project_id
      and conversations.conversation_id = closed.conversation_id;
  end $$`;

/**
 * Adds turns that ended before this migration. Turns of a removed conversation do not belong to a later conversation
 * with the same id.
 */
const endedBefore = sql`
  update conversations set wasted_cost = sums.wasted
  from (
    select project_id, conversation_id, sum(wasted_cost) as wasted from turns
    where wasted_cost > 0 and removed_at is null group by project_id, conversation_id
  ) sums
  where conversations.project_id = sums.project_id and conversations.conversation_id = sums.conversation_id`;

/** Adds the part of a conversation's cost that repeated attempts of its turns caused. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [column, close, endedBefore]) await statement.execute(db);
};
