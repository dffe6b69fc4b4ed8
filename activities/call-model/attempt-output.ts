import type { ToolCall } from '../../src/contracts/tools/tool-call.ts';
import type { EventBatch } from '../../src/contracts/wire/event-batch.ts';
import type { TurnEvent } from '../../src/contracts/wire/turn-event.ts';
import type { DurableWriter } from '../../src/live/durable-writer.ts';
import type { LanePublisher } from '../../src/live/lane.ts';
import { packEvents, type LoggedEvent } from '../../src/protocol/event-log/event-log.ts';
import type { FeedResult, ModelStreamReader } from '../../src/protocol/stream/model-stream.ts';
import type { SessionKeepAlive } from '../write-session/session-keep-alive.ts';
import type { ModelTracer } from './model-tracer.ts';
import { ToolCallThrottle } from './tool-call-throttle.ts';

/**
 * The place at which an attempt begins to write: its own epoch, the first seq of its step, and the id of the event
 * before the step. `after` is null if there is no such event.
 */
export interface AttemptPosition {
  readonly epoch: number;
  readonly fromSeq: number;
  readonly after: string | null;
}

/**
 * Gives ids to the events of one model attempt. It sends each event at once to the live lane and, in batches, to the
 * workflow (docs/events.md). It also keeps all events, since the attempt's segment is made of them.
 */
export class AttemptOutput {
  readonly #lane: LanePublisher;
  readonly #durable: DurableWriter;
  readonly #epoch: number;
  readonly #after: string | null;
  readonly #events: LoggedEvent[] = [];
  #nextSeq: number;

  constructor(position: AttemptPosition, lane: LanePublisher, durable: DurableWriter) {
    this.#lane = lane;
    this.#durable = durable;
    this.#epoch = position.epoch;
    this.#after = position.after;
    this.#nextSeq = position.fromSeq;
  }

  /**
   * Withdraws the text of the step's earlier attempts. Resolves when the workflow has received the `reset` event, or is
   * closed. An attempt of a closed workflow is thus stopped before its model call.
   */
  async reset(): Promise<void> {
    const fromSeq = this.#nextSeq;
    // A reset takes the seq before the step, so that the text after it begins with the first seq of the step again.
    this.#nextSeq = fromSeq - 1;
    this.emit({ type: 'reset', fromSeq });
    await this.#durable.flush();
  }

  /**
   * Gives the event the next id and sends it to the lane and to the workflow. The lane sends the JSON that is made here
   * unchanged. The durable writer only needs its size, to know when a signal is full: Temporal's client makes the JSON
   * of a signal itself.
   */
  emit(event: TurnEvent): void {
    const id = { epoch: this.#epoch, seq: this.#nextSeq };
    const stored: LoggedEvent = this.#events.length === 0 ? { id, after: this.#after, event } : { id, event };
    this.#nextSeq += 1;
    this.#events.push(stored);
    for (const batch of packEvents([stored])) {
      const json = batch.events.map((entry) => JSON.stringify(entry));
      this.#lane.publish(batch, json);
      this.#durable.add(stored, Buffer.byteLength(json.join()));
    }
  }

  /** Returns everything that this attempt has written, in batches for its segment. */
  segment(): EventBatch[] {
    return packEvents(this.#events);
  }
}

interface DisplayTargets {
  readonly output: Pick<AttemptOutput, 'emit'>;
  readonly tracer: Pick<ModelTracer, 'noteText'>;
  readonly keepAlive: Pick<SessionKeepAlive, 'touch'>;
}

/**
 * Shows readers one answer while it streams: text at once, and calls when `ToolCallThrottle` lets them pass. Text is
 * also traced, and keeps alive the write session to which it belongs.
 */
export class AnswerDisplay {
  readonly #reader: ModelStreamReader;
  readonly #targets: DisplayTargets;
  readonly #throttle = new ToolCallThrottle();

  /** `reader` is the one that reads the answer. */
  constructor(reader: ModelStreamReader, targets: DisplayTargets) {
    this.#reader = reader;
    this.#targets = targets;
  }

  /** Shows what one delta has changed. */
  show({ chunks, haveCallsChanged }: FeedResult): void {
    const { output, tracer, keepAlive } = this.#targets;
    for (const chunk of chunks) {
      output.emit(chunk);
      tracer.noteText(chunk.content);
      keepAlive.touch();
    }
    if (!haveCallsChanged) return;
    const { callCharacters } = this.#reader;
    this.#showCalls(this.#throttle.push(callCharacters, () => this.#reader.calls(), Date.now()));
  }

  /** Shows the final calls, unless they were shown already. Call it when the reader has ended. */
  end(): void {
    this.#showCalls(this.#throttle.flush());
  }

  #showCalls(calls: readonly ToolCall[] | undefined): void {
    if (calls) this.#targets.output.emit({ type: 'tool_calls', calls: [...calls] });
  }
}
