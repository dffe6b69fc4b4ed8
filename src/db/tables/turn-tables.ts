import type { ColumnType, Generated } from 'kysely';
import type { TokenUsage } from '../../contracts/model/model-message.ts';
import type { TurnInput } from '../../contracts/payload/turn-workflow-payloads.ts';
import type { ClientTool } from '../../contracts/tools/client-tools.ts';
import type { TurnStatus, TurnWaste } from '../../contracts/turn/turn-facts.ts';
import type { TerminalEvent } from '../../contracts/wire/turn-event.ts';
import type { Json, JsonOrNull, Timestamp, TimestampOrNull } from './column-types.ts';

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

/** The columns of a turn's row that say which turn of which conversation it is. */
export type TurnKeyRow = Pick<TurnsTable, 'turn_id' | 'project_id' | 'conversation_id'>;
