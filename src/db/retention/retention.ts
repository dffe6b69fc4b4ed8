import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../connection/database.ts';

/** The numbers of rows that one run of the retention has removed, by kind. `inputs` includes the texts of replies. */
export interface RemovedRows {
  readonly traces: number;
  readonly segments: number;
  readonly contexts: number;
  readonly calls: number;
  readonly transcripts: number;
  readonly executions: number;
  readonly inputs: number;
  readonly changes: number;
  readonly notifications: number;
}

/** Removes what has been kept long enough. */
export interface Retention {
  /**
   * Removes traces that are older than `before`. Of turns that ended before that time, removes the parts that
   * `RemovedRows` names, but neither rows nor messages (docs/storage.md "Retention"). The work is done in short
   * batches, and `onBatch` is called after each. Safe to repeat.
   */
  prune(before: Date, onBatch: () => void): Promise<RemovedRows>;
}

/**
 * Largest number of traces that one statement removes. The statement stays far below the query limit of the pool, and
 * holds up no insert for long.
 */
const TRACES_PER_BATCH = 2_000;
/**
 * Largest number of rows that determine the turns of one statement. All other rows of these turns are removed with
 * them, because half of a turn's segments would be another event list.
 */
const ROWS_PER_BATCH = 200;

type Statement = (before: Date) => RawBuilder<unknown>;

/** Creates the retention in Postgres: batches of `delete` over traces and the tables of turns. */
export const createRetention = (db: Database): Retention => {
  const removeAll = async (statement: Statement, before: Date, onBatch: () => void): Promise<number> => {
    for (let removed = 0; ;) {
      const { numAffectedRows = 0n } = await statement(before).execute(db);
      onBatch();
      if (numAffectedRows === 0n) return removed;
      removed += Number(numAffectedRows);
    }
  };
  return {
    prune: async (before, onBatch) => ({
      traces: await removeAll(oldTraces, before, onBatch),
      segments: await removeAll(ofEndedTurns('turn_segments'), before, onBatch),
      contexts: await removeAll(ofEndedTurns('turn_contexts'), before, onBatch),
      calls: await removeAll(ofEndedTurns('call_spend'), before, onBatch),
      transcripts: await removeAll(ofEndedTurns('turn_transcripts'), before, onBatch),
      executions: await removeAll(ofEndedTurns('tool_executions'), before, onBatch),
      inputs:
        (await removeAll(ofEndedTurns('reply_contents'), before, onBatch)) +
        (await removeAll(ofEndedTurns('input_requests'), before, onBatch)),
      changes: await removeAll(ofEndedTurns('file_changes'), before, onBatch),
      notifications: await removeAll(ofEndedTurns('outbox'), before, onBatch),
    }),
  };
};

const oldTraces: Statement = (before) => sql`
  delete from trace_events where id in (
    select id from trace_events where created_at < ${before} limit ${TRACES_PER_BATCH})`;

const ofEndedTurns =
  (
    table:
      | 'turn_segments'
      | 'turn_contexts'
      | 'call_spend'
      | 'turn_transcripts'
      | 'tool_executions'
      | 'input_requests'
      | 'reply_contents'
      | 'file_changes'
      | 'outbox',
  ): Statement =>
  (before) => sql`
    delete from ${sql.table(table)} where turn_id in (
      select turn_id from ${sql.table(table)} join turns using (turn_id)
      where ended_at < ${before} limit ${ROWS_PER_BATCH})`;
