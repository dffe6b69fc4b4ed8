import type { EventSourceMessage } from 'eventsource-parser';
import { parseJson } from '../../contracts/values/parse-json.ts';
import { type EventId, parseEventId } from '../../contracts/wire/event-id.ts';
import { type ToolOutput, toolOutputSchema } from '../../contracts/wire/tool-output.ts';
import { isTerminal, type TurnEvent, turnEventSchema } from '../../contracts/wire/turn-event.ts';
import { type Failure, readAs } from '../server/gateway-request.ts';
import type { ArrivedEvent } from './surviving-events.ts';

/** One item in the native stream of a turn. */
const streamedSchema = turnEventSchema.or(toolOutputSchema);

/**
 * The events that one stream of a turn has brought; after an event that cannot be read no other counts, and `failure`
 * says which field was wrong. `onOutput` gets the output of commands.
 */
export class StreamedPart {
  lastId: EventId | null;
  isOver = false;
  failure: Failure | undefined;
  #arrived: ArrivedEvent[] = [];
  readonly #onOutput: (output: ToolOutput) => void;

  constructor(after: EventId | null, onOutput: (output: ToolOutput) => void) {
    this.lastId = after;
    this.#onOutput = onOutput;
  }

  take({ id, data }: EventSourceMessage): void {
    if (this.failure) return;
    const read = readAs(streamedSchema, parseJson(data));
    if (!read.ok) this.failure = read.failure;
    else if (read.value.type === 'tool_output') this.#onOutput(read.value);
    else this.#add(parseEventId(id ?? ''), read.value);
  }

  /** Returns the events that were not handed out yet, in order. */
  hand(): readonly ArrivedEvent[] {
    const arrived = this.#arrived;
    this.#arrived = [];
    return arrived;
  }

  #add(id: EventId | undefined, event: TurnEvent): void {
    if (id === undefined) return;
    this.#arrived.push({ id, event });
    this.lastId = id;
    this.isOver ||= isTerminal(event);
  }
}
