import { sql, type Kysely } from 'kysely';

/**
 * `ordinal` orders the events of a turn that happened within one millisecond; ids would not, as rows of an activity
 * are stored later than they happen. The index serves the window of a project, newest first, and its count.
 */
const statements = [
  sql`alter table trace_events add column ordinal bigint not null default 0`,
  sql`drop index trace_events_project`,
  sql`create index trace_events_window on trace_events (project_id, created_at, ordinal, id)`,
];

export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of statements) await statement.execute(db);
};
