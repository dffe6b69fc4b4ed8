import { sql, type Kysely } from 'kysely';

/**
 * `ordinal` orders the events of a turn that happened within one millisecond. Ids cannot, because an activity stores
 * its events later than they happen. The index serves a page of a project's events, newest first, and their number.
 */
const statements = [
  sql`alter table trace_events add column ordinal bigint not null default 0`,
  sql`drop index trace_events_project`,
  sql`create index trace_events_window on trace_events (project_id, created_at, ordinal, id)`,
];

export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of statements) await statement.execute(db);
};
