import { type RawBuilder, sql } from 'kysely';
import type { ConversationKey } from '../../contracts/values/ids.ts';

/** The position of a turn that has not been asked for yet. */
export interface NextTurnPosition extends ConversationKey {
  /** The turn before the position. Null if there is none. */
  readonly leaf: string | null;
}

/**
 * The common table expression `turn_position`, whose one row is the position of a turn in its conversation, or the
 * position that it would get.
 */
export type PositionCte = RawBuilder<unknown>;

/** Returns the position of a turn that is stored, with the message that asked for it. */
export const positionCteOf = (turnId: string): PositionCte => sql`
  turn_position as (
    select turn_id, turns.parent_turn_id, message.project_id, message.conversation_id, message.id as message_id,
      octet_length(message.content) as bytes
    from turns join chat_messages message using (turn_id)
    where turn_id = ${turnId} and message.sender = 'user' and message.steer_id is null
  )`;

/** Returns the position of the next turn after the turn `leaf`. It has no message yet, so all notes come before it. */
export const positionCteAfter = ({ projectId, conversationId, leaf }: NextTurnPosition): PositionCte => sql`
  turn_position as (
    select null::text as turn_id, ${leaf}::text as parent_turn_id, ${projectId}::text as project_id,
      ${conversationId}::text as conversation_id, null::bigint as message_id, 0 as bytes
  )`;
