import type { ColumnType, Generated } from 'kysely';
import type { CommitPlan } from '../../contracts/payload/session-activity-payloads.ts';
import type { WriteSessionInput } from '../../contracts/payload/session-workflow-payloads.ts';
import type { CommitOutcome } from '../../contracts/write-session/session-messages.ts';
import type { SessionStage, WriteOperation } from '../../contracts/write-session/write-session.ts';
import type { Json, JsonOrNull, Timestamp, TimestampOrNull } from './column-types.ts';

export interface WriteSessionsTable {
  session_id: string;
  project_id: string;
  turn_id: string | null;
  owner: Generated<string>;
  slot: number | null;
  /** A counter that each attempt raises before it writes. An attempt with an earlier number is superseded. */
  fence: Generated<number>;
  target_file: string;
  target_key: string;
  operation: WriteOperation;
  start_input: Json<WriteSessionInput>;
  /**
   * Id of the workflow's first run, the only run that may act. Null until a start was confirmed or the workflow began
   * to write.
   */
  run_id: string | null;
  /** While `closing`, no attempt may begin to write, but slot and target stay locked. */
  state: Generated<'open' | 'closing' | 'ended'>;
  stage: Generated<SessionStage>;
  /** The plan of the commit, stored before the target is touched. */
  plan: JsonOrNull<CommitPlan>;
  outcome: JsonOrNull<CommitOutcome>;
  undone_at: TimestampOrNull;
  started_at: Timestamp;
  ended_at: TimestampOrNull;
  swept_at: TimestampOrNull;
}

export interface StoredBytesTable {
  owner: string;
  /** The day as `YYYY-MM-DD` in UTC. */
  day: string;
  /** The driver gives bigint as text. */
  bytes: ColumnType<string, number, string>;
}
