import type { ColumnType, Generated } from 'kysely';
import type { ClientTool } from '../../contracts/tools/client-tools.ts';
import type { TurnStatus, TurnWaste } from '../../contracts/turn/turn-facts.ts';
import type { TokenUsage } from '../../contracts/model/model-message.ts';
import type { PlannedWrite } from '../../contracts/tools/tool-ledger.ts';
import type { TraceSource, TraceType } from '../../contracts/turn/trace-event.ts';
import type { TerminalEvent } from '../../contracts/wire/turn-event.ts';
import type { TurnInput } from '../../contracts/payload/turn-workflow-payloads.ts';
import type { CommitPlan } from '../../contracts/payload/session-activity-payloads.ts';
import type { SessionStage, WriteOperation } from '../../contracts/write-session/write-session.ts';
import type { CommitOutcome } from '../../contracts/write-session/session-messages.ts';
import type { ChatMessagesTable, ConversationsTable } from './conversation-tables.ts';
import type { InputRequestsTable, ReplyContentsTable } from './input-tables.ts';
import type { OutboxTable } from './outbox-tables.ts';
import type { CallSpendTable, SpendTable } from './spend-tables.ts';
import type { Json, JsonOrNull, Timestamp, TimestampOrNull } from './column-types.ts';
import type {
  ConversationSummariesTable,
  ToolExecutionsTable,
  TurnContextsTable,
  TurnSegmentsTable,
  TurnTranscriptsTable,
} from './turn-parts-tables.ts';
import type { WriteSessionInput } from '../../contracts/payload/session-workflow-payloads.ts';

/** The columns of a turn's row that say which turn of which conversation it is. */
export type TurnKeyRow = Pick<TurnsTable, 'turn_id' | 'project_id' | 'conversation_id'>;

export interface TurnsTable {
  turn_id: string;
  project_id: string;
  conversation_id: string;
  request_hash: string;
  start_input: Json<TurnInput>;
  /**
   * The parent of the turn. Null if it has none. If an insert gives no parent, a trigger sets it to the newest turn of
   * the conversation, unless the turn begins anew.
   */
  parent_turn_id: Generated<string | null>;
  begins_anew: Generated<boolean>;
  /** Time at which the turn's conversation was removed. Null while it exists. */
  removed_at: Generated<Date | null>;
  /**
   * The turn with which the prompt of this turn begins. It is the turn's own id if the prompt contains no earlier turn.
   * Null until the first model call, and for turns of versions without anchors.
   */
  anchor_turn_id: Generated<string | null>;
  /** The last turn of the summary with which the prompt of this turn begins. Null if it begins with none. */
  summary_turn_id: Generated<string | null>;
  /** The tools of the turn's client. Null when it has declared none. */
  client_tools: ColumnType<ClientTool[] | null, string | undefined, string>;
  /** Id of the workflow's first run, the only run that may act. Null until the first model call begins. */
  run_id: string | null;
  /**
   * The newest claim of each step, by the number of the step (src/db/turns/step-repository.ts). It contains only
   * numbers, so `jsonb` can hold it.
   */
  claims: ColumnType<Record<string, { epoch: number; scheduledAt: number }>, string | undefined, string>;
  protocol: TurnInput['protocol'];
  mode: TurnInput['mode'];
  model: string;
  /** Name of the API key that started the turn. Null without keys. */
  started_by: string | null;
  cancelled_by: Generated<string | null>;
  status: Generated<TurnStatus>;
  reason: string | null;
  terminal_id: string | null;
  terminal_after: string | null;
  terminal: JsonOrNull<TerminalEvent>;
  usage: JsonOrNull<TokenUsage>;
  phase: number | null;
  cycle: number | null;
  waste: JsonOrNull<TurnWaste>;
  /**
   * Costs in whole millionths of the currency, as text. Both are null while the turn runs, and if a call had no price.
   */
  cost: Generated<string | null>;
  wasted_cost: Generated<string | null>;
  /**
   * The largest cost of the turn, and of its key on a UTC day, in whole millionths of the currency. Null means no
   * limit.
   */
  cost_limit: ColumnType<string | null, number | undefined, never>;
  day_cost_limit: ColumnType<string | null, number | undefined, never>;
  content: string | null;
  started_at: Timestamp;
  ended_at: TimestampOrNull;
  /** Time at which a sweeper last claimed the row. Null if none has. */
  swept_at: TimestampOrNull;
  /** True when a webhook is notified of the turn. */
  notifies: Generated<boolean>;
}

/** A change that a tool planned to make to a file. */
export interface FileChangesTable {
  turn_id: string;
  phase_index: number;
  position: number;
  /** Number of the attempt in the ledger (`attempts` of `tool_executions`). */
  attempt: number;
  path: string;
  target_key: string;
  /** State of the file before the change. Null if there was no file. */
  before_state: JsonOrNull<PlannedWrite['before']>;
  after_state: Json<PlannedWrite['after']>;
  planned_at: Timestamp;
  undone_at: TimestampOrNull;
}

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

export interface TraceEventsTable {
  id: Generated<string>;
  turn_id: string;
  key: string;
  project_id: string;
  type: TraceType;
  source: TraceSource;
  summary: string;
  details: JsonOrNull<unknown>;
  phase_index: number | null;
  cycle_index: number | null;
  error: string | null;
  metadata: JsonOrNull<Record<string, unknown>>;
  /** Order within the turn, where times are equal; the driver gives bigint as text. */
  ordinal: ColumnType<string, number | undefined, number>;
  created_at: Timestamp;
}

export interface StoredBytesTable {
  owner: string;
  /** The day as `YYYY-MM-DD` in UTC. */
  day: string;
  /** The driver gives bigint as text. */
  bytes: ColumnType<string, number, string>;
}

/** All tables by name, with the columns that queries of the query builder use. */
export interface DatabaseSchema {
  outbox: OutboxTable;
  stored_bytes: StoredBytesTable;
  spend: SpendTable;
  call_spend: CallSpendTable;
  write_sessions: WriteSessionsTable;
  trace_events: TraceEventsTable;
  turns: TurnsTable;
  chat_messages: ChatMessagesTable;
  conversations: ConversationsTable;
  turn_segments: TurnSegmentsTable;
  turn_contexts: TurnContextsTable;
  turn_transcripts: TurnTranscriptsTable;
  conversation_summaries: ConversationSummariesTable;
  tool_executions: ToolExecutionsTable;
  input_requests: InputRequestsTable;
  reply_contents: ReplyContentsTable;
  file_changes: FileChangesTable;
}
