import { type EventId, formatEventId } from '../../contracts/wire/event-id.ts';
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { formatFrame } from './sse-frame.ts';

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
