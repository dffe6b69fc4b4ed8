import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { compareEventIds, type EventId } from '../../protocol/event-log/event-id.ts';
import type { CreateTurnEncoder } from './dialects.ts';

/** Bytes of the frames of one event. */
export type EncodeFrame = (turnId: string, id: EventId, event: TurnEvent) => Buffer;

/**
 * Encodes each event once for all viewers of a turn, who also share the bytes: with a thousand of them the
 * encoding, not the sending, would be the work. For dialects that keep no state. Frames live as long as their
 * events do in the hub.
 */
export const shareFrames = (createEncoder: CreateTurnEncoder): EncodeFrame => {
  const frames = new WeakMap<TurnEvent, { turnId: string; id: EventId; bytes: Buffer }>();
  return (turnId, id, event) => {
    const known = frames.get(event);
    if (known?.turnId === turnId && compareEventIds(known.id, id) === 0) return known.bytes;
    const bytes = Buffer.from(createEncoder(turnId).encode(id, inOneOrder(event)));
    frames.set(event, { turnId, id, bytes });
    return bytes;
  };
};

/**
 * The lane and Postgres hand over the fields of `done` in different orders; the bytes under an id are the same for
 * every viewer (docs/performance.md).
 */
const inOneOrder = (event: TurnEvent): TurnEvent => {
  if (event.type !== 'done') return event;
  const { type, fullContent, status, reason, usage, ...more } = event;
  const rest = Object.entries(more).sort(([a], [b]) => (a < b ? -1 : 1));
  return { type, fullContent, status, reason, usage, ...Object.fromEntries(rest) };
};
