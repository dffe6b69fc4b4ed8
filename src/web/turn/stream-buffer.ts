import type { EventSourceMessage } from 'eventsource-parser';
import { parseJson } from '../../contracts/values/parse-json.ts';
import { type EventId, parseEventId } from '../../contracts/wire/event-id.ts';
import { type ToolOutput, toolOutputSchema } from '../../contracts/wire/tool-output.ts';
import { isTerminal, type TurnEvent, turnEventSchema } from '../../contracts/wire/turn-event.ts';
import { type Failure, parseAnswer } from '../server/gateway-request.ts';
import type { ReceivedEvent } from './surviving-events.ts';

/** One item in the native stream of a turn. */
const streamedSchema = turnEventSchema.or(toolOutputSchema);

/**
 * The events that one stream of a turn has brought; after an event that cannot be read no other counts, and `failure`
 * says which field was wrong. `onOutput` gets the output of commands.
 */
export class StreamBuffer {
  lastId: EventId | null;
  isOver = false;
  failure: Failure | undefined;
  #received: ReceivedEvent[] = [];
  readonly #onOutput: (output: ToolOutput) => void;

  constructor(after: EventId | null, onOutput: (output: ToolOutput) => void) {
    this.lastId = after;
    this.#onOutput = onOutput;
  }

  push({ id, data }: EventSourceMessage): void {
    if (this.failure) return;
    const read = parseAnswer(streamedSchema, parseJson(data));
    if (!read.ok) this.failure = read.failure;
    else if (read.value.type === 'tool_output') this.#onOutput(read.value);
    else this.#add(parseEventId(id ?? ''), read.value);
  }

  /** Returns the events that were not handed out yet, in order. */
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
