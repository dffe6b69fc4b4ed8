import { safeText } from '../../contracts/values/safe-text.ts';
import type { AcceptedSteer } from '../../contracts/inputs/steering.ts';
import { fullContentOf, type LoggedEvent } from '../../protocol/event-log/event-log.ts';
import type { Database } from '../connection/database.ts';
import type { TurnKeyRow } from '../tables/turn-tables.ts';

/** A message into a turn, with its place in the turn's answer. */
interface PlacedSteer extends Pick<AcceptedSteer, 'messageId' | 'content' | 'by' | 'at'> {
  /** Number of characters of the answer that came before the message. */
  readonly position: number;
  /** True when the model has read the message. False when the turn ended before. */
  readonly applied: boolean;
}

/**
 * The messages of users into a turn that ends. Those in the turn's events (`list`) were read by its model, the others
 * not.
 */
export interface StoredSteers {
  readonly list: readonly LoggedEvent[];
  readonly unapplied: readonly AcceptedSteer[];
}

/** Inserts messages into the turn as user messages, between the message that began the turn and the turn's answer. */
export const storeSteers = async (trx: Database, turn: TurnKeyRow, steers: StoredSteers): Promise<void> => {
  const placed = [...appliedOf(steers.list), ...unappliedOf(steers)];
  if (placed.length === 0) return;
  await trx
    .insertInto('chat_messages')
    .values(placed.map((steer) => rowOf(turn, steer)))
    .execute();
};

const appliedOf = (list: readonly LoggedEvent[]): PlacedSteer[] =>
  list.flatMap(({ event }, index) => {
    if (event.type !== 'steer') return [];
    const { messageId, content, by, at } = event;
    const position = fullContentOf(list.slice(0, index)).length;
    return [{ messageId, content, by, at, position, applied: true }];
  });

const unappliedOf = ({ list, unapplied }: StoredSteers): PlacedSteer[] => {
  const position = fullContentOf(list).length;
  return unapplied.map((steer) => ({ ...steer, position, applied: false }));
};

const rowOf = (
  { turn_id, project_id, conversation_id }: TurnKeyRow,
  { messageId, content, by, at, position, applied }: PlacedSteer,
) => ({
  turn_id,
  project_id,
  conversation_id,
  sender: 'user' as const,
  steer_id: messageId,
  content: safeText(content),
  metadata: JSON.stringify({ requestId: turn_id, steer: { messageId, position, applied, by } }),
  created_at: new Date(at),
});

/**
 * Returns the content of a message that was sent into a turn which has ended. Returns undefined for an unknown message.
 */
export const findSteer = async (
  db: Database,
  turnId: string,
  messageId: string,
): Promise<string | undefined> => {
  const row = await db
    .selectFrom('chat_messages')
    .select('content')
    .where('turn_id', '=', turnId)
    .where('sender', '=', 'user')
    .where('steer_id', '=', messageId)
    .executeTakeFirst();
  return row?.content;
};
