import { compareEventIds, type EventId } from '../../contracts/wire/event-id.ts';
import type { CreateTurnEncoder, StreamedEvent } from './turn-encoders.ts';

/** Encodes one event of a turn as the bytes of its frame. */
export type EncodeFrame = (turnId: string, id: EventId | null, event: StreamedEvent) => Buffer;

/**
 * Encodes each event once for all viewers of a turn, who also share the bytes, because with a thousand viewers encoding
 * would take longer than sending. Frames live as long as the hub holds their events.
 */
export const shareFrames = (createEncoder: CreateTurnEncoder): EncodeFrame => {
  const frames = new WeakMap<StreamedEvent, { turnId: string; id: EventId | null; bytes: Buffer }>();
  return (turnId, id, event) => {
    const known = frames.get(event);
    if (known?.turnId === turnId && isSameId(known.id, id)) return known.bytes;
    const bytes = Buffer.from(createEncoder(turnId).encode(id, withOrderedFields(event)));
    frames.set(event, { turnId, id, bytes });
    return bytes;
  };
};

const isSameId = (a: EventId | null, b: EventId | null): boolean =>
  a === null || b === null ? a === b : compareEventIds(a, b) === 0;

/**
 * Returns an event with its fields in one order. The lane and Postgres give the fields of `done` in different orders,
 * but the bytes under an id must be the same for every viewer (docs/events.md).
 */
const withOrderedFields = (event: StreamedEvent): StreamedEvent => {
  if (event.type !== 'done') return event;
  const { type, fullContent, status, reason, usage, ...otherFields } = event;
  const sortedFields = Object.entries(otherFields).sort(([a], [b]) => (a < b ? -1 : 1));
  return { type, fullContent, status, reason, usage, ...Object.fromEntries(sortedFields) };
};
