import type { EventBatch } from '../../src/contracts/wire/event-batch.ts';
import type { TurnEvent } from '../../src/contracts/wire/turn-event.ts';
import type { DurableWriter } from '../../src/live/durable-writer.ts';
import type { LanePublisher } from '../../src/live/lane.ts';
import { packEvents, type StoredEvent } from '../../src/protocol/event-log/event-log.ts';

/** The place where an attempt writes: its own epoch, the step's first seq, and the event before it. */
export interface AttemptPosition {
  readonly epoch: number;
  readonly fromSeq: number;
  readonly after: string | null;
}

/**
 * Gives the events of one model attempt their ids and sends each at once to the live lane and, in batches, to
 * the workflow (docs/events.md). Keeps them all: the segment is written from here.
 */
export class AttemptOutput {
  readonly #lane: LanePublisher;
  readonly #durable: DurableWriter;
  readonly #epoch: number;
  readonly #after: string | null;
  readonly #events: StoredEvent[] = [];
  #nextSeq: number;

  constructor(position: AttemptPosition, lane: LanePublisher, durable: DurableWriter) {
    this.#lane = lane;
    this.#durable = durable;
    this.#epoch = position.epoch;
    this.#after = position.after;
    this.#nextSeq = position.fromSeq;
  }

  /**
   * Withdraws, as a later attempt, the text of the ones before it. Resolves when the workflow has it: opening the model
   * call before that would only disturb readers, but a dead workflow is found out here for free.
   */
  async reset(): Promise<void> {
    const fromSeq = this.#nextSeq;
    this.#nextSeq = fromSeq - 1;
    this.emit({ type: 'reset', fromSeq });
    await this.#durable.flush();
  }

  /**
   * Gives the event the next id and sends it both ways. The lane sends the JSON that is made here as it is. The durable
   * writer needs only its size, to know when a signal is full: Temporal's client makes the JSON of a signal itself.
   */
  emit(event: TurnEvent): void {
    const id = { epoch: this.#epoch, seq: this.#nextSeq };
    const stored: StoredEvent = this.#events.length === 0 ? { id, after: this.#after, event } : { id, event };
    this.#nextSeq += 1;
    this.#events.push(stored);
    for (const batch of packEvents([stored])) {
      const json = batch.events.map((entry) => JSON.stringify(entry));
      this.#lane.publish(batch, json);
      this.#durable.add(stored, Buffer.byteLength(json.join()));
    }
  }

  /** Everything this attempt has written, for its segment. */
  segment(): EventBatch[] {
    return packEvents(this.#events);
  }
}
