import type { Generated } from 'kysely';
import type { Json, Timestamp } from './column-types.ts';

/**
 * The author of a message as it is stored. `orion` wrote the answers of turns. A note is from `orion` or `system`, as
 * the client that posted it has said.
 */
export type MessageSender = 'user' | 'orion' | 'system';

export interface ChatMessagesTable {
  /** Rises in the order of insertion; the driver gives bigint as text. */
  id: Generated<string>;
  /** Id of the turn. Null for a note, which belongs to none. */
  turn_id: string | null;
  /** Idempotency key of a note. Null for the rows of a turn. */
  request_id: string | null;
  /** Idempotency key of a message that was sent into a running turn. Null for any other message. */
  steer_id: string | null;
  project_id: string;
  conversation_id: string;
  sender: MessageSender;
  content: string;
  metadata: Json<Record<string, unknown>>;
  created_at: Timestamp;
}

/**
 * One row per conversation, for lists of them. A trigger on `chat_messages` sets the ids, and the functions that settle
 * costs in the database add to `cost` and `wasted_cost`.
 */
export interface ConversationsTable {
  project_id: string;
  conversation_id: string;
  first_message_id: string;
  last_message_id: string;
  /** Id of the newest turn. Null if only notes were stored. */
  last_turn_id: string | null;
  /** Id of the newest message of the newest turn. */
  last_turn_message_id: string | null;
  /** Title that somebody gave the conversation. Null if it has none. */
  title: Generated<string | null>;
  /**
   * The cost of summaries, and of ended turns whose cost is known, in whole millionths of the currency, as text. Null
   * before the first such cost.
   */
  cost: Generated<string | null>;
  /** The part of `cost` that repeated attempts of ended turns have caused, in the same unit. */
  wasted_cost: Generated<string>;
}
