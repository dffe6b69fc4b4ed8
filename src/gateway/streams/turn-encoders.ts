import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { compareEventIds, type EventId, formatEventId } from '../../contracts/wire/event-id.ts';

interface SseFrame {
  readonly id?: string;
  /**
   * Name of the event, which is `message` if it is absent. It is never `error`, which EventSource takes for an error of
   * the connection.
   */
  readonly event?: string;
  readonly data: string;
}

const LINE_BREAK = /\r\n|\r|\n/;

/**
 * Returns the text of one SSE event (WHATWG HTML, section 9.2.5). Each line of `data` becomes a field of its own.
 * Throws Error for an id or a name with a line break or NUL, because a client would read another event out of it, or
 * drop the id. Throws Error also for the name `error`.
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
 * The encoder of a turn in one wire format. It keeps no state from event to event, so a stream can be resumed in any
 * format after any id (docs/http-api.md "Resuming").
 */
export interface TurnEncoder {
  /** Returns the SSE text of one event. `id` is null for an event after which nobody can resume. */
  encode(id: EventId | null, event: StreamedEvent): string;
}

/** What a stream carries: an event of the turn, or output of a tool, which is not stored. */
export type StreamedEvent = TurnEvent | ToolOutput;

/** Creates the encoder of a turn's events in one wire format. */
export type CreateTurnEncoder = (turnId: string) => TurnEncoder;

/**
 * Creates an encoder of the native format: each event has its type as its name, and is itself the data, as JSON
 * (docs/http-api.md "Streams, in two forms"). An event of type `error` is named `turn_error`.
 */
export const createNativeEncoder: CreateTurnEncoder = () => ({
  encode: (id, event) =>
    formatFrame({
      ...idField(id),
      event: event.type === 'error' ? 'turn_error' : event.type,
      data: JSON.stringify(event),
    }),
});

const idField = (id: EventId | null): { id?: string } => (id === null ? {} : { id: formatEventId(id) });

/**
 * Creates an encoder of the compatible format: frames have no name, and clients tell them apart by their fields
 * (docs/http-api.md "Streams, in two forms"). Each contains `requestId`, the id of the turn.
 */
export const createCompatibleEncoder: CreateTurnEncoder = (turnId) => ({
  encode: (id, event) =>
    formatFrame({
      ...idField(id),
      data: JSON.stringify({ ...frameFields(event), type: event.type, requestId: turnId }),
    }),
});

const frameFields = (event: StreamedEvent): object => {
  switch (event.type) {
    case 'chunk':
      return { chunk: event.content, ...(event.notice !== undefined && { notice: event.notice }) };
    case 'tool_calls':
      return { tool_calls: event.calls };
    case 'phase':
      return { phase: `${event.phase}_phase`, phaseIndex: event.index, cycleIndex: event.cycle };
    case 'tool_output':
      return { tool_output: withoutType(event) };
    case 'tool_result':
      return { tool_result: withoutType(event) };
    case 'write_session':
      return { write_session: withoutType(event) };
    case 'input_requested':
      return { input_requested: withoutType(event) };
    case 'input_resolved':
      return { input_resolved: withoutType(event) };
    case 'steer':
      return { steer: withoutType(event) };
    case 'reset':
      return { reset: { fromSeq: event.fromSeq } };
    case 'done':
      return { done: true, phase: 'complete', ...withoutType(event) };
    case 'error':
      return {
        error: event.message,
        code: event.code,
        ...(event.unapplied && { unapplied: event.unapplied }),
      };
    default:
      return event satisfies never;
  }
};

const withoutType = ({ type: _type, ...fields }: StreamedEvent): object => fields;

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
    const bytes = Buffer.from(createEncoder(turnId).encode(id, inOneOrder(event)));
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
const inOneOrder = (event: StreamedEvent): StreamedEvent => {
  if (event.type !== 'done') return event;
  const { type, fullContent, status, reason, usage, ...more } = event;
  const rest = Object.entries(more).sort(([a], [b]) => (a < b ? -1 : 1));
  return { type, fullContent, status, reason, usage, ...Object.fromEntries(rest) };
};
