import type { EventSourceMessage } from 'eventsource-parser';
import { parseJson } from '../../contracts/values/parse-json.ts';
import { type EventId, parseEventId } from '../../contracts/wire/event-id.ts';
import { type ToolOutput, toolOutputSchema } from '../../contracts/wire/tool-output.ts';
import { isTerminal, type TurnEvent, turnEventSchema } from '../../contracts/wire/turn-event.ts';
import { parseResponse } from '../http/gateway-request.ts';
import type { Failure } from '../http/request-failure.ts';
import type { ReceivedEvent } from './received-turn.ts';

/** Accepts one item of the native stream of a turn. */
const streamedSchema = turnEventSchema.or(toolOutputSchema);

/**
 * Collects the events of one stream of a turn, and passes the output of commands to `onOutput`. After an event that
 * cannot be read it ignores all others.
 */
export class StreamBuffer {
  /** Id of the last event, or the id after which the stream was requested. */
  lastId: EventId | null;
  /** True once all events of the turn have come. */
  isOver = false;
  /** The reason why an event could not be read, with the field that was wrong, or why the stream was not opened. */
  failure: Failure | undefined;
  #received: ReceivedEvent[] = [];
  readonly #onOutput: (output: ToolOutput) => void;

  constructor(after: EventId | null, onOutput: (output: ToolOutput) => void) {
    this.lastId = after;
    this.#onOutput = onOutput;
  }

  /**
   * Takes in the next event of the stream, whose data is parsed and checked. Never throws; what is wrong becomes
   * `failure`.
   */
  push({ id, data }: EventSourceMessage): void {
    if (this.failure) return;
    const parsed = parseResponse(streamedSchema, parseJson(data));
    if (!parsed.ok) this.failure = parsed.failure;
    else if (parsed.value.type === 'tool_output') this.#onOutput(parsed.value);
    else this.#add(parseEventId(id ?? ''), parsed.value);
  }

  /** Returns the events that came since the last call, in order. */
  drain(): readonly ReceivedEvent[] {
    const arrived = this.#received;
    this.#received = [];
    return arrived;
  }

  #add(id: EventId | undefined, event: TurnEvent): void {
    if (id === undefined) return;
    this.#received.push({ id, event });
    this.lastId = id;
    this.isOver ||= isTerminal(event);
  }
}
