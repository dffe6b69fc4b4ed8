import type { Generated } from 'kysely';
import type { Json, Timestamp } from './column-types.ts';

/** The author of a message, as it is stored: the user, Orion, or a system. */
export type MessageSender = 'user' | 'orion' | 'system';

export interface ChatMessagesTable {
  /** Rises in the order of insertion; the driver gives bigint as text. */
  id: Generated<string>;
  /** Id of the turn. Null for a note, which belongs to none. */
  turn_id: string | null;
  /** Idempotency key of a note. Null for the rows of a turn. */
  request_id: string | null;
  /** Idempotency key of a message into the running turn. Null for the one that began it, and for its reply. */
  steer_id: string | null;
  project_id: string;
  conversation_id: string;
  sender: MessageSender;
  content: string;
  metadata: Json<Record<string, unknown>>;
  created_at: Timestamp;
}

/** One row per conversation, for lists of them. A trigger on `chat_messages` maintains all columns except the title. */
export interface ConversationsTable {
  project_id: string;
  conversation_id: string;
  first_message_id: string;
  last_message_id: string;
  /** Id of the newest turn. Null if only notes were stored. */
  last_turn_id: string | null;
  /** Id of the newest message of that turn. */
  last_turn_message_id: string | null;
  /** Title that somebody gave the conversation. Null if it has none. */
  title: Generated<string | null>;
  /** The cost of ended turns with a known cost, in whole millionths as text. Null when there are none. */
  cost: Generated<string | null>;
}
