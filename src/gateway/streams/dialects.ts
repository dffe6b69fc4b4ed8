import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { type EventId, formatEventId } from '../../protocol/event-log/event-id.ts';

interface SseFrame {
  readonly id?: string;
  /** Name of the event; absent: `message`. Never `error`, which EventSource takes for a transport error. */
  readonly event?: string;
  readonly data: string;
}

const LINE_BREAK = /\r\n|\r|\n/;

/**
 * Text of one event (WHATWG HTML 9.2.5). Data may have several lines. Throws on an id or a name with a line
 * break or NUL: a client would read another event out of it, or drop the id.
 */
export const formatFrame = ({ id, event, data }: SseFrame): string => {
  let text = '';
  if (id !== undefined) text += `id: ${fieldValue(id)}\n`;
  if (event !== undefined) text += `event: ${eventName(event)}\n`;
  for (const line of data.split(LINE_BREAK)) text += `data: ${line}\n`;
  return `${text}\n`;
};

const fieldValue = (value: string): string => {
  if (!LINE_BREAK.test(value) && !value.includes('\0')) return value;
  throw new Error(`SSE field: expected text on one line without NUL, received ${JSON.stringify(value)}`);
};

const eventName = (name: string): string => {
  if (name !== 'error') return fieldValue(name);
  throw new Error('SSE event name: expected any but "error", received "error"');
};

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
