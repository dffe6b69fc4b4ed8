import { sql, type Kysely } from 'kysely';

/**
 * The change that a tool planned to make to a file, stored before the file was touched. `before_state` is null if there
 * was no file.
 */
const fileChanges = sql`
  create table file_changes (
    turn_id text not null references turns,
    phase_index integer not null,
    position integer not null,
    attempt integer not null,
    path text not null,
    target_key text not null,
    before_state json,
    after_state json not null,
    planned_at timestamptz not null default clock_timestamp(),
    undone_at timestamptz,
    primary key (turn_id, phase_index, position, attempt)
  )`;

/** Lets an undo find executions that are about to write its file. */
const ofTarget = sql`create index file_changes_target on file_changes (target_key)`;

/** Finds the write sessions of a turn. */
const sessionsOfTurn = sql`create index write_sessions_turn on write_sessions (turn_id) where turn_id is not null`;

export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [fileChanges, ofTarget, sessionsOfTurn]) await statement.execute(db);
};
