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
import type { InputRequestsTable, OutboxTable, ReplyContentsTable } from './input-tables.ts';
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
  /** The parent of the turn. Null if it has none. A trigger sets it to the newest turn, unless the turn begins anew. */
  parent_turn_id: Generated<string | null>;
  begins_anew: Generated<boolean>;
  /** Time at which the turn's conversation was removed. */
  removed_at: Generated<Date | null>;
  /** The turn with which its prompt begins, its own id for none before it. Null until its first model call. */
  anchor_turn_id: Generated<string | null>;
  /** The last turn of the summary with which its prompt begins. Null if it begins with none. */
  summary_turn_id: Generated<string | null>;
  /** The tools of the turn's client. Null when it has declared none. */
  client_tools: ColumnType<ClientTool[] | null, string | undefined, string>;
  /** First run of the workflow; the only run that may act. */
  run_id: string | null;
  /** Newest claim of each step, by step number; see src/db/turns/context-repository.ts. Only numbers, hence jsonb. */
  claims: ColumnType<Record<string, { epoch: number; scheduledAt: number }>, string | undefined, string>;
  protocol: TurnInput['protocol'];
  mode: TurnInput['mode'];
  model: string;
  /** Name of the API key that started the turn. */
  started_by: string | null;
  /** The client that first asked the gateway to cancel the turn: the name of an API key, or `local` without keys. */
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
  /** The costs are in whole millionths, as text; both are null while the turn runs, and when a call had no price. */
  cost: Generated<string | null>;
  wasted_cost: Generated<string | null>;
  /** The largest cost of the turn, and of its key on a day. Null means no limit. */
  cost_limit: ColumnType<string | null, number | undefined, never>;
  day_cost_limit: ColumnType<string | null, number | undefined, never>;
  content: string | null;
  started_at: Timestamp;
  ended_at: TimestampOrNull;
  /** Time at which a sweeper last took the row. */
  swept_at: TimestampOrNull;
  /** True when a webhook is notified of the turn. */
  notifies: Generated<boolean>;
}

/** The planned change of a tool to a file. */
export interface FileChangesTable {
  turn_id: string;
  phase_index: number;
  position: number;
  /** Number of the execution's attempt, by the ledger. */
  attempt: number;
  path: string;
  target_key: string;
  /** The file's state before. Null if there was no file. */
  before_state: JsonOrNull<PlannedWrite['before']>;
  after_state: Json<PlannedWrite['after']>;
  planned_at: Timestamp;
  undone_at: TimestampOrNull;
}

export interface WriteSessionsTable {
  session_id: string;
  project_id: string;
  turn_id: string | null;
  /** Owner of the slot: the name of an API key, `local` without keys. */
  owner: Generated<string>;
  /** Number of the slot; null once somebody is asked about the session's commit. */
  slot: number | null;
  /** The number that every attempt which may write raises; an older attempt is superseded. */
  fence: Generated<number>;
  target_file: string;
  target_key: string;
  operation: WriteOperation;
  start_input: Json<WriteSessionInput>;
  /** First run of the workflow; the only run that may act. */
  run_id: string | null;
  /** `closing` still locks slot and target. */
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

/** All tables by name, as the newest migration leaves them. */
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
