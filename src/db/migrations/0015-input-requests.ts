import { sql, type Kysely } from 'kysely';

/**
 * The input requests of turns. While a request is `prepared`, its event is not written yet, and nobody has been asked.
 */
const inputRequests = sql`
  create table input_requests (
    turn_id text not null references turns,
    n integer not null,
    kind text not null,
    request json not null,
    args_hash text,
    diff text,
    state text not null default 'prepared' check (state in ('prepared', 'open', 'closed')),
    message text,
    default_reply text,
    expires_at timestamptz,
    resolution json,
    created_at timestamptz not null default now(),
    opened_at timestamptz,
    closed_at timestamptz,
    primary key (turn_id, n)
  )`;

/** Finds the turns that wait for a person, for admission, lists and sweepers. */
const open = sql`create index input_requests_open on input_requests (turn_id) where state = 'open'`;

const approval = sql`alter table tool_executions add column input_id text, add column input_once boolean`;

/** With `input_once`, an approval allows only one execution. */
const once = sql`create unique index tool_executions_input on tool_executions (input_id) where input_once`;

export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [inputRequests, open, approval, once]) await statement.execute(db);
};
