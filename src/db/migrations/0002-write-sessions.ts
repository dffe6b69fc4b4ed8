import { sql, type Kysely } from 'kysely';

/**
 * An open session locks `slot` and `target_key` (docs/write-sessions.md), which is the canonical path with the
 * project's root. A `closing` row still locks both. `fence` rises with every attempt that may write.
 */
const writeSessions = sql`
  create table write_sessions (
    session_id text primary key,
    project_id text not null,
    turn_id text references turns,
    slot integer not null,
    fence integer not null default 0,
    target_file text not null,
    target_key text not null,
    operation text not null check (operation in ('create', 'overwrite', 'append')),
    start_input json not null,
    run_id text,
    state text not null default 'open' check (state in ('open', 'closing', 'ended')),
    stage text not null default 'awaiting_content',
    plan json,
    outcome json,
    undone_at timestamptz,
    started_at timestamptz not null default now(),
    ended_at timestamptz,
    swept_at timestamptz,
    check ((state = 'ended') = (ended_at is not null))
  )`;

const oneSlot = sql`create unique index write_sessions_slot on write_sessions (slot) where state <> 'ended'`;
const oneTarget = sql`
  create unique index write_sessions_target on write_sessions (target_key) where state <> 'ended'`;
const byProject = sql`create index write_sessions_project on write_sessions (project_id, started_at desc)`;

export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [writeSessions, oneSlot, oneTarget, byProject]) await statement.execute(db);
};
