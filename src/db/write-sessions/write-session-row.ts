import type { Selectable } from 'kysely';
import type { CommitPlan } from '../../contracts/payload/session-activity-payloads.ts';
import type { SessionStage, WriteOperation } from '../../contracts/write-session/write-session.ts';
import type { CommitOutcome } from '../../contracts/write-session/session-messages.ts';
import type { WriteSessionInput } from '../../contracts/payload/session-workflow-payloads.ts';
import type { Database } from '../connection/database.ts';
import type { WriteSessionsTable } from '../tables/write-session-tables.ts';

/**
 * A write session as it is stored. While `open` or `closing`, it locks its target and, if it has one, its slot. `stage`
 * is final once `ended`.
 */
export interface WriteSessionRow {
  readonly sessionId: string;
  readonly projectId: string;
  readonly turnId: string | null;
  /** Owner of the slot: the name of an API key, `local` without keys. */
  readonly owner: string;
  /** Number of the slot; null once somebody is asked about the session's commit. */
  readonly slot: number | null;
  /** Number of the newest attempt, 0 before the first: the column `fence`. */
  readonly attempt: number;
  readonly targetFile: string;
  readonly targetKey: string;
  readonly operation: WriteOperation;
  readonly input: WriteSessionInput;
  /** The first run of the workflow. Null until a start was confirmed or the workflow began to write. */
  readonly runId: string | null;
  readonly state: 'open' | 'closing' | 'ended';
  readonly stage: SessionStage;
  /** The newest plan of an attempt to commit. Null before the first plan, and after an attempt has failed. */
  readonly plan: CommitPlan | null;
  /** Outcome of the newest commit that has finished. Null before the first outcome. */
  readonly outcome: CommitOutcome | null;
  readonly undoneAt: Date | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/** Returns a row of `write_sessions` with names in camelCase, as the rest of the code has it. */
export const toWriteSessionRow = (row: Selectable<WriteSessionsTable>): WriteSessionRow => ({
  sessionId: row.session_id,
  projectId: row.project_id,
  turnId: row.turn_id,
  owner: row.owner,
  slot: row.slot,
  attempt: row.fence,
  targetFile: row.target_file,
  targetKey: row.target_key,
  operation: row.operation,
  input: row.start_input,
  runId: row.run_id,
  state: row.state,
  stage: row.stage,
  plan: row.plan,
  outcome: row.outcome,
  undoneAt: row.undone_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
});

/** Returns the row of a session, or undefined when the session does not exist. */
export const findWriteSession = async (
  db: Database,
  sessionId: string,
): Promise<WriteSessionRow | undefined> => {
  const row = await db
    .selectFrom('write_sessions')
    .selectAll()
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return row && toWriteSessionRow(row);
};
