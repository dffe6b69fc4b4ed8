import type { Database } from '../../../src/db/connection/database.ts';

/** Returns the trace events of a turn or write session as rows, oldest first. */
export const storedTraces = (db: Database, id: string) =>
  db
    .selectFrom('trace_events')
    .selectAll()
    .where('turn_id', '=', id)
    .orderBy('created_at')
    .orderBy('ordinal')
    .orderBy('id')
    .execute();
