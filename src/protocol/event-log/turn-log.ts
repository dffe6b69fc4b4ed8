import type { EventBatch, EventsPage } from '../../contracts/wire/event-batch.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import {
  attemptEpoch,
  formatEventId,
  parseEventId,
  workflowEpoch,
  type EventId,
} from '../../contracts/wire/event-id.ts';
import { accept, eventsAfter, expandBatch, packEvents, type StoredEvent } from './event-log.ts';
import { condenseEvents, eventWeight, jsonBytes, shortenEvent } from './event-weight.ts';

const MAX_PAGE_BYTES = 512 * 1024;
/** Bytes of own events that may ride on an activity's input, for the lane; larger ones are left to the durable log. */
const MAX_PRELUDE_BYTES = 256 * 1024;
/**
 * `closeTurn` takes all own events at once, and an input above Temporal's 2 MiB fails the workflow task again and
 * again: past this, shown tool results are cut. The rest is for a prelude and the text of a lost step.
 */
const MAX_OWN_BYTES = 640 * 1024;

/** The place where a model call's events begin; every attempt of the step starts from here. */
export interface StepStart {
  readonly step: number;
  readonly fromSeq: number;
  /** Id of the stored event that the first event of the step follows. */
  readonly after: string | null;
}

/**
 * The durable event list of a running turn, as the workflow holds it (docs/events.md): batches of
 * model attempts come in by signal and activity result, the workflow's own events are written under epochs that
 * no attempt uses. Plain state, no clock: the workflow replays it from its history.
 */
export class TurnLog {
  /** Characters of chunks that a reset withdrew; shown as waste. */
  discardedCharacters = 0;
  readonly #list: StoredEvent[] = [];
  readonly #ownEvents: StoredEvent[] = [];
  #ownBytes = 0;
  #handedOut = 0;
  #current: StepStart = { step: 0, fromSeq: 1, after: null };

  /** Number of the model call that runs, or ran last; 0 before the first. */
  get step(): number {
    return this.#current.step;
  }

  /** Writes an event of the workflow itself. */
  append(event: TurnEvent): void {
    this.#write(this.#nextOwnPosition(), this.#ownBytes > MAX_OWN_BYTES ? shortenEvent(event) : event);
  }

  /** Takes in batches of an attempt; repeats and stale attempts are dropped. */
  apply(batches: readonly EventBatch[]): void {
    for (const batch of batches) for (const event of expandBatch(batch)) this.#accept(event);
  }

  beginStep(): StepStart {
    const last = this.#list.at(-1);
    this.#current = {
      step: this.#current.step + 1,
      fromSeq: (last?.id.seq ?? 0) + 1,
      after: last ? formatEventId(last.id) : null,
    };
    return this.#current;
  }

  /** The stored events of the running step, resets left out. */
  stepEvents(): TurnEvent[] {
    return this.#storedOfStep().map((stored) => stored.event);
  }

  /**
   * Returns the epoch of the segment that holds a step's text. Undefined when the step said nothing, or was lost and
   * its text belongs to the workflow.
   */
  segmentEpoch(step: number): number | undefined {
    const last = workflowEpoch(step) - 1;
    return this.#list.findLast(({ id }) => id.epoch >= attemptEpoch(step, 1) && id.epoch <= last)?.id.epoch;
  }

  /**
   * Ends a step that has no result. What was said stays, but under ids that nobody else used. The step's last attempt
   * may still be writing under its own epoch, and its segment may already be stored.
   */
  endLostStep(): void {
    const held = condenseEvents(this.stepEvents());
    const { step, fromSeq, after } = this.#current;
    const epoch = workflowEpoch(step);
    this.#write({ id: { epoch, seq: fromSeq - 1 }, after }, { type: 'reset', fromSeq });
    held.forEach((event, i) => this.#write({ id: { epoch, seq: fromSeq + i } }, event));
  }

  /** Own events that no activity has carried to the live lane yet; none when they are too many for an input. */
  takePrelude(): EventBatch[] {
    const fresh = this.#ownEvents.slice(this.#handedOut);
    this.#handedOut = this.#ownEvents.length;
    const prelude = packEvents(fresh);
    return jsonBytes(prelude) > MAX_PRELUDE_BYTES ? [] : prelude;
  }

  /** Returns all own events: no attempt's segment holds them, so `closeTurn` stores them. */
  ownEvents(): EventBatch[] {
    return packEvents(this.#ownEvents);
  }

  /** Id of the terminal event and the event it follows. It is not kept here: readers get it after the commit. */
  terminalPosition(): { terminalId: string; terminalAfter: string | null } {
    const { id } = this.#nextOwnPosition();
    const last = this.#list.at(-1);
    return { terminalId: formatEventId(id), terminalAfter: last ? formatEventId(last.id) : null };
  }

  /** Events after `id`, at most about 512 KiB of them. */
  page(after: EventId | null): EventsPage {
    const rest = eventsAfter(this.#list, after);
    let bytes = 0;
    let count = 0;
    for (const stored of rest) {
      bytes += eventWeight(stored.event);
      if (count > 0 && bytes > MAX_PAGE_BYTES) break;
      count += 1;
    }
    return { batches: packEvents(rest.slice(0, count)), more: count < rest.length };
  }

  #nextOwnPosition(): Pick<StoredEvent, 'id' | 'after'> {
    const last = this.#list.at(-1);
    const epoch = workflowEpoch(this.#current.step);
    const id = { epoch, seq: (last?.id.seq ?? 0) + 1 };
    if (last?.id.epoch === epoch) return { id };
    return { id, after: last ? formatEventId(last.id) : null };
  }

  #write(position: Pick<StoredEvent, 'id' | 'after'>, event: TurnEvent): void {
    const stored = { ...position, event };
    this.#accept(stored);
    this.#ownEvents.push(stored);
    this.#ownBytes += jsonBytes(event);
  }

  #accept(event: StoredEvent): void {
    const withdrawn = event.event.type === 'reset' ? charactersFrom(this.#list, event.event.fromSeq) : 0;
    if (accept(this.#list, event) === 'accepted') this.discardedCharacters += withdrawn;
  }

  #storedOfStep(): StoredEvent[] {
    const { fromSeq, after } = this.#current;
    const fresh = eventsAfter(this.#list, (after !== null && parseEventId(after)) || null);
    return fresh.filter(({ id, event }) => id.seq >= fromSeq && event.type !== 'reset');
  }
}

const charactersFrom = (list: readonly StoredEvent[], seq: number): number =>
  list.reduce(
    (sum, { id, event }) => (event.type === 'chunk' && id.seq >= seq ? sum + event.content.length : sum),
    0,
  );
