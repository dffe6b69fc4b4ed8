import { sql, type Kysely } from 'kysely';

/** The messages to a webhook. Each is stored together with the event that it reports, or not at all. */
const outbox = sql`
  create table outbox (
    webhook_id text primary key,
    turn_id text not null references turns,
    body json not null,
    state text not null default 'due' check (state in ('due', 'sent', 'given_up')),
    started_at timestamptz not null default now(),
    swept_at timestamptz
  )`;

const due = sql`create index outbox_due on outbox (turn_id) where state = 'due'`;

/**
 * True when a webhook is notified of the turn. `start_input` says so, too, but may hold JSON that Postgres cannot read.
 */
const notifies = sql`alter table turns add column notifies boolean not null default false`;

export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [outbox, due, notifies]) await statement.execute(db);
};
