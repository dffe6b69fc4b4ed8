import { sql, type Kysely } from 'kysely';

/** The messages to a webhook: each is stored together with the event it tells of, or not at all. */
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

/** Tells if the turn notifies a webhook. A column, since the start input may hold what Postgres cannot read as JSON. */
const notifies = sql`alter table turns add column notifies boolean not null default false`;

export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [outbox, due, notifies]) await statement.execute(db);
};
