import type { ColumnType, Generated } from 'kysely';
import type { EventBatch } from '../contracts/wire/event-batch.ts';
import type { TurnStatus, Waste } from '../contracts/turn.ts';
import type { ModelMessage, Usage } from '../contracts/model-message.ts';
import type { ToolResult } from '../contracts/tool-call.ts';
import type { TraceSource, TraceType } from '../contracts/trace-event.ts';
import type { TerminalEvent } from '../contracts/wire/turn-event.ts';
import type { TurnInput } from '../contracts/payload/turn-workflow.ts';
import type { CommitOutcome, CommitPlan } from '../contracts/payload/session-activities.ts';
import type { SessionStage, WriteOperation } from '../contracts/write-session.ts';
import type { WriteSessionInput } from '../contracts/payload/session-workflow.ts';

/**
 * A `json` column: parsed when read, JSON text when written (the driver would make a Postgres array of a
 * JavaScript one). `json` and not `jsonb`: jsonb refuses `\u0000`, and what a model said is kept byte by byte.
 */
type Json<T> = ColumnType<T, string, string>;

type JsonOrNull<T> = ColumnType<T | null, string | null, string | null>;
type Timestamp = ColumnType<Date, Date | undefined, Date>;
type TimestampOrNull = ColumnType<Date | null, Date | null, Date | null>;

export type Sender = 'user' | 'orion' | 'system';

export interface TurnsTable {
  turn_id: string;
  project_id: string;
  conversation_id: string;
  request_hash: string;
  start_input: Json<TurnInput>;
  /** First run of the workflow; the only run that may act. */
  run_id: string | null;
  /** Newest claim of each step, by step number; see context-repository.ts. Numbers only, hence jsonb. */
  claims: ColumnType<Record<string, { epoch: number; scheduledAt: number }>, string | undefined, string>;
  protocol: TurnInput['protocol'];
  mode: TurnInput['mode'];
  model: string;
  /** Name of the API key that started the turn. */
  started_by: string | null;
  /** Who asked the gateway to cancel it first: the name of an API key, or `local` where none are asked for. */
  cancelled_by: Generated<string | null>;
  status: Generated<TurnStatus>;
  reason: string | null;
  terminal_id: string | null;
  terminal_after: string | null;
  terminal: JsonOrNull<TerminalEvent>;
  usage: JsonOrNull<Usage>;
  phase: number | null;
  cycle: number | null;
  waste: JsonOrNull<Waste>;
  content: string | null;
  started_at: Timestamp;
  ended_at: TimestampOrNull;
  /** When a sweeper last took the row in hand. */
  swept_at: TimestampOrNull;
}

export interface ChatMessagesTable {
  /** Rises in the order of insertion; the driver gives bigint as text. */
  id: Generated<string>;
  /** Null for a note, which belongs to no turn. */
  turn_id: string | null;
  /** Idempotency key of a note; null for the rows of a turn. */
  request_id: string | null;
  project_id: string;
  conversation_id: string;
  sender: Sender;
  content: string;
  metadata: Json<Record<string, unknown>>;
  created_at: Timestamp;
}

/** Written by a trigger on `chat_messages` alone. */
export interface ConversationsTable {
  project_id: string;
  conversation_id: string;
  first_message_id: string;
  last_message_id: string;
  /** Null where only notes were stored. */
  last_turn_id: string | null;
}

export interface TurnSegmentsTable {
  turn_id: string;
  epoch: number;
  batches: Json<EventBatch[]>;
}

export interface TurnContextsTable {
  turn_id: string;
  step: number;
  messages: Json<ModelMessage[]>;
}

export interface ToolExecutionsTable {
  turn_id: string;
  phase_index: number;
  position: number;
  tool_name: string;
  arguments: string;
  /** How often the execution was begun. */
  attempts: Generated<number>;
  result: JsonOrNull<ToolResult>;
  started_at: Timestamp;
  finished_at: TimestampOrNull;
}

export interface WriteSessionsTable {
  session_id: string;
  project_id: string;
  turn_id: string | null;
  /** Whose slot it has: the name of an API key, `local` without keys. */
  owner: Generated<string>;
  slot: number;
  /** Raised by every attempt that may write; an older one finds itself fenced. */
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
  /** What the commit was about to do, stored before the target is touched. */
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
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  /** The driver gives bigint as text. */
  bytes: ColumnType<string, number, string>;
}

export interface Schema {
  stored_bytes: StoredBytesTable;
  write_sessions: WriteSessionsTable;
  trace_events: TraceEventsTable;
  turns: TurnsTable;
  chat_messages: ChatMessagesTable;
  conversations: ConversationsTable;
  turn_segments: TurnSegmentsTable;
  turn_contexts: TurnContextsTable;
  tool_executions: ToolExecutionsTable;
}
