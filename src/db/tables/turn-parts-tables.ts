import type { Generated } from 'kysely';
import type { LeftOut } from '../../contracts/model/left-out.ts';
import type { ModelMessage } from '../../contracts/model/model-message.ts';
import type { ToldSurroundings } from '../../contracts/model/told-surroundings.ts';
import type { ToolResult } from '../../contracts/tools/tool-call.ts';
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
  /** Earlier steps whose messages this step was sent without. */
  withdrawn: number[] | null;
  /** The state of the workspace that the turn's model was told; set only in the first step. */
  told: JsonOrNull<ToldSurroundings>;
  /** What the prompts of this step and the next ones leave out. Null when it is the same as in the step before. */
  left_out: JsonOrNull<LeftOut>;
}

/** The messages of an ended turn, as later prompts hold them. */
export interface TurnTranscriptsTable {
  turn_id: string;
  messages: Json<ModelMessage[]>;
  /** Tokens of each message. */
  tokens: number[];
  told: JsonOrNull<ToldSurroundings>;
}

/** The summary that replaces turns which prompts leave out. It is ready when `done` is their number. */
export interface ConversationSummariesTable {
  /** The last turn that the summary covers. */
  turn_id: string;
  /** The turns that it was made of, oldest first. */
  turn_ids: string[];
  /** The summary that it continues. */
  after_turn_id: string | null;
  model: string;
  content: string;
  /** The number of its turns that `content` covers. */
  done: Generated<number>;
  /** Tokens of `content`. The other token columns are those of the calls that made it, as text. */
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
  /** The number of times that the execution was begun. */
  attempts: Generated<number>;
  result: JsonOrNull<ToolResult>;
  started_at: Timestamp;
  finished_at: TimestampOrNull;
  /** The request whose reply allowed the execution. `input_once` is true if the reply allows nothing else. */
  input_id: Generated<string | null>;
  input_once: Generated<boolean | null>;
}
