import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { type EventId, formatEventId } from '../../protocol/event-log/event-id.ts';
import { formatFrame } from './sse-frame.ts';

/**
 * A wire dialect of one turn: a pure fold over its events from the first, so that a stream can be resumed in any
 * dialect from any id (docs/http-api.md).
 */
export interface TurnEncoder {
  /** Text of the SSE frames of one event. */
  encode(id: EventId, event: TurnEvent): string;
}

export type CreateTurnEncoder = (turnId: string) => TurnEncoder;

/** Events as they are: `event: <type>` and the event as JSON (docs/http-api.md). Keeps no state. */
export const createNativeEncoder: CreateTurnEncoder = () => ({
  encode: (id, event) =>
    formatFrame({
      id: formatEventId(id),
      event: event.type === 'error' ? 'turn_error' : event.type,
      data: JSON.stringify(event),
    }),
});

/** Frames without event names, told apart by their fields (docs/http-api.md). Keeps no state. */
export const createCompatibleEncoder: CreateTurnEncoder = (requestId) => ({
  encode: (id, event) =>
    formatFrame({
      id: formatEventId(id),
      data: JSON.stringify({ ...fieldsOf(event), type: event.type, requestId }),
    }),
});

const fieldsOf = (event: TurnEvent): object => {
  switch (event.type) {
    case 'chunk':
      return { chunk: event.content, ...(event.notice !== undefined && { notice: event.notice }) };
    case 'tool_calls':
      return { tool_calls: event.calls };
    case 'phase':
      return { phase: `${event.phase}_phase`, phaseIndex: event.index, cycleIndex: event.cycle };
    case 'tool_result':
      return { tool_result: withoutType(event) };
    case 'write_session':
      return { write_session: withoutType(event) };
    case 'reset':
      return { reset: { fromSeq: event.fromSeq } };
    case 'done':
      return { done: true, phase: 'complete', ...withoutType(event) };
    case 'error':
      return { error: event.message, code: event.code };
    default:
      return event satisfies never;
  }
};

const withoutType = ({ type: _type, ...fields }: TurnEvent): object => fields;
