import { sql, type Kysely } from 'kysely';

/** `key` names an event within its turn, so that a repeated attempt records it once (docs/storage.md "Traces"). */
const traceEvents = sql`
  create table trace_events (
    id bigint generated always as identity primary key,
    turn_id text not null,
    key text not null,
    project_id text not null,
    type text not null,
    source text not null check (source in ('user', 'orion', 'tool', 'system')),
    summary text not null,
    details json,
    phase_index integer,
    cycle_index integer,
    error text,
    metadata json,
    created_at timestamptz not null default now(),
    unique (turn_id, key)
  )`;
const byProject = sql`create index trace_events_project on trace_events (project_id, id)`;
const byAge = sql`create index trace_events_created on trace_events (created_at)`;

export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [traceEvents, byProject, byAge]) await statement.execute(db);
};
