import type { Generated } from 'kysely';
import type { LeftOut } from '../../contracts/model/left-out.ts';
import type { ModelMessage } from '../../contracts/model/model-message.ts';
import type { KnownSurroundings } from '../../contracts/model/known-surroundings.ts';
import type { ToolResult } from '../../contracts/tools/tool-call.ts';
import type { PlannedWrite } from '../../contracts/tools/tool-ledger.ts';
import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import type { Json, JsonOrNull, Timestamp, TimestampOrNull } from './column-types.ts';

export interface TurnSegmentsTable {
  turn_id: string;
  epoch: number;
  batches: Json<EventBatch[]>;
}

export interface TurnContextsTable {
  turn_id: string;
  step: number;
  messages: Json<ModelMessage[]>;
  /** Earlier steps whose messages were left out when this step was sent. Null or empty means none. */
  withdrawn: number[] | null;
  /** The state of the workspace that the turn's model was told; set only in the first step. */
  told: JsonOrNull<KnownSurroundings>;
  /**
   * The parts of the turn's prompt that this step and the next ones are sent without. Null if they are those of the
   * step before.
   */
  left_out: JsonOrNull<LeftOut>;
}

/** The messages that represent an ended turn in later prompts. */
export interface TurnTranscriptsTable {
  turn_id: string;
  messages: Json<ModelMessage[]>;
  /** Number of tokens of each message, in the order of `messages`. */
  tokens: number[];
  told: JsonOrNull<KnownSurroundings>;
}

/**
 * A summary that replaces turns which prompts leave out. It is finished when `done` equals the number of `turn_ids`.
 */
export interface ConversationSummariesTable {
  /** The last turn that the summary covers. */
  turn_id: string;
  /**
   * The turns that the summary is made of, oldest first. Turns before them are part of the summary that it continues.
   */
  turn_ids: string[];
  /** The last turn of the summary that this one continues. Null if it continues none. */
  after_turn_id: string | null;
  model: string;
  content: string;
  /** Number of turns in `turn_ids` that `content` covers. */
  done: Generated<number>;
  /**
   * Number of tokens of `content`. The other two columns of tokens count what the calls that wrote `content` have used,
   * as text.
   */
  tokens: Generated<number>;
  prompt_tokens: Generated<string>;
  completion_tokens: Generated<string>;
  created_at: Timestamp;
}

export interface ToolExecutionsTable {
  turn_id: string;
  phase_index: number;
  position: number;
  tool_name: string;
  arguments: string;
  /** Number of times that the execution was begun. Only the newest attempt may write. */
  attempts: Generated<number>;
  result: JsonOrNull<ToolResult>;
  started_at: Timestamp;
  finished_at: TimestampOrNull;
  /** The request whose reply allowed the execution. `input_once` is true if the reply allows nothing else. */
  input_id: Generated<string | null>;
  input_once: Generated<boolean | null>;
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
