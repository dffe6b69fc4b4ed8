import type { TurnEvent } from '../../../contracts/wire/turn-event.ts';
import type { EventId } from '../../../protocol/event-log/event-id.ts';

/**
 * A wire dialect of one turn: a pure fold over its events from the first, so that a stream can be resumed in any
 * dialect from any id (docs/http-api.md).
 */
export interface TurnEncoder {
  /** Text of the SSE frames of one event. */
  encode(id: EventId, event: TurnEvent): string;
}

export type CreateTurnEncoder = (turnId: string) => TurnEncoder;
