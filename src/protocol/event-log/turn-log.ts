import type { EventBatch, EventsPage } from '../../contracts/wire/event-batch.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import {
  attemptEpoch,
  formatEventId,
  parseEventId,
  workflowEpoch,
  type EventId,
} from '../../contracts/wire/event-id.ts';
import { accept, eventsAfter, expandBatch, packEvents, type LoggedEvent } from './event-log.ts';
import { condenseEvents, eventWeight, jsonBytes, shortenEvent } from './event-weight.ts';
import { KIB } from '../../contracts/values/units.ts';

const MAX_PAGE_BYTES = 512 * KIB;
/**
 * Largest prelude, in bytes of JSON, that an activity's input carries. Readers get the events of a larger prelude only
 * from the durable log.
 */
const MAX_PRELUDE_BYTES = 256 * KIB;
/**
 * Size of all own events, in bytes of JSON, above which tool results that are only shown are cut. `closeTurn` takes all
 * own events in one input, and an input above Temporal's 2 MiB would fail the workflow task again and again. What this
 * leaves of the 2 MiB is for a prelude and the text of a lost step.
 */
const MAX_OWN_BYTES = 640 * KIB;

/** The place at which the events of a step begin. It is the same for all attempts of the step. */
export interface StepStart {
  readonly step: number;
  readonly fromSeq: number;
  /** Id of the stored event that the first event of the step follows. Null if the list is empty. */
  readonly after: string | null;
}

/**
 * The durable event list of a running turn, as the workflow has it (docs/events.md). Batches of model attempts come in
 * by signals and activity results. The workflow writes its own events under epochs that no attempt uses. The list
 * depends on nothing else, so that a replay builds the same one.
 */
export class TurnLog {
  /**
   * Number of characters in chunks that resets of repeated attempts have withdrawn. It is shown as waste. The reset of
   * a lost step does not count, because the step's text is written again as it was.
   */
  discardedCharacters = 0;
  readonly #list: LoggedEvent[] = [];
  readonly #ownEvents: LoggedEvent[] = [];
  #ownBytes = 0;
  #handedOut = 0;
  #current: StepStart = { step: 0, fromSeq: 1, after: null };

  /** Number of the model call that runs, or ran last; 0 before the first. */
  get step(): number {
    return this.#current.step;
  }

  /**
   * Writes an event of the workflow itself. Cuts a shown tool result if there are more own events than `MAX_OWN_BYTES`.
   */
  append(event: TurnEvent): void {
    this.#write(this.#nextOwnPosition(), this.#ownBytes > MAX_OWN_BYTES ? shortenEvent(event) : event);
  }

  /**
   * Takes batches of attempts. Events that `accept` does not take are dropped: repeats, events of outdated attempts,
   * and events behind a gap. So are events of epochs that no attempt of a begun step has: own events could not follow
   * them.
   */
  apply(batches: readonly EventBatch[]): void {
    for (const batch of batches) for (const event of expandBatch(batch)) this.#applyEvent(event);
  }

  /** Begins the next step, after all events so far. */
  beginStep(): StepStart {
    const last = this.#list.at(-1);
    this.#current = {
      step: this.#current.step + 1,
      fromSeq: (last?.id.seq ?? 0) + 1,
      after: last ? formatEventId(last.id) : null,
    };
    return this.#current;
  }

  /** Returns the events of the running step that are in the list, without resets. */
  stepEvents(): TurnEvent[] {
    return this.#storedOfStep().map((stored) => stored.event);
  }

  /**
   * Returns the epoch of the segment that contains a step's text. Returns undefined if no attempt of the step has an
   * event in the list, as after a lost step, whose text the workflow has written again.
   */
  segmentEpoch(step: number): number | undefined {
    const last = workflowEpoch(step) - 1;
    return this.#list.findLast(({ id }) => id.epoch >= attemptEpoch(step, 1) && id.epoch <= last)?.id.epoch;
  }

  /**
   * Ends a step that has no result. What the step said stays, but under ids that nobody else used. The step's last
   * attempt may still be writing under its own epoch, and its segment may already be stored.
   */
  endLostStep(): void {
    const events = condenseEvents(this.stepEvents());
    const { step, fromSeq, after } = this.#current;
    const epoch = workflowEpoch(step);
    this.#write({ id: { epoch, seq: fromSeq - 1 }, after }, { type: 'reset', fromSeq });
    events.forEach((event, i) => this.#write({ id: { epoch, seq: fromSeq + i } }, event));
  }

  /**
   * Returns own events that no activity has carried to the live lane yet, and counts them as carried. Returns none if
   * they exceed `MAX_PRELUDE_BYTES`.
   */
  takePrelude(): EventBatch[] {
    const fresh = this.#ownEvents.slice(this.#handedOut);
    this.#handedOut = this.#ownEvents.length;
    const prelude = packEvents(fresh);
    return jsonBytes(prelude) > MAX_PRELUDE_BYTES ? [] : prelude;
  }

  /** Returns all own events. They are in no segment of an attempt, so `closeTurn` stores them. */
  ownEvents(): EventBatch[] {
    return packEvents(this.#ownEvents);
  }

  /**
   * Returns the id that the terminal event will have, and the id of the event that it follows, or null. The terminal
   * event does not enter this list, because readers may see it only after the turn's row is closed.
   */
  terminalPosition(): { terminalId: string; terminalAfter: string | null } {
    const { id } = this.#nextOwnPosition();
    const last = this.#list.at(-1);
    return { terminalId: formatEventId(id), terminalAfter: last ? formatEventId(last.id) : null };
  }

  /** Returns the events with ids above `after`, up to about 512 KiB, and at least one if there are any. */
  page(after: EventId | null): EventsPage {
    const following = eventsAfter(this.#list, after);
    let bytes = 0;
    let count = 0;
    for (const stored of following) {
      bytes += eventWeight(stored.event);
      if (count > 0 && bytes > MAX_PAGE_BYTES) break;
      count += 1;
    }
    return { batches: packEvents(following.slice(0, count)), more: count < following.length };
  }

  #nextOwnPosition(): Pick<LoggedEvent, 'id' | 'after'> {
    const last = this.#list.at(-1);
    const epoch = workflowEpoch(this.#current.step);
    const id = { epoch, seq: (last?.id.seq ?? 0) + 1 };
    if (last?.id.epoch === epoch) return { id };
    return { id, after: last ? formatEventId(last.id) : null };
  }

  #write(position: Pick<LoggedEvent, 'id' | 'after'>, event: TurnEvent): void {
    const stored = { ...position, event };
    const verdict = accept(this.#list, stored);
    if (verdict !== 'accepted') {
      const last = this.#list.at(-1);
      const place = last ? formatEventId(last.id) : 'the beginning';
      throw new Error(`own event ${formatEventId(position.id)} (${event.type}) after ${place}: ${verdict}`);
    }
    this.#ownEvents.push(stored);
    this.#ownBytes += jsonBytes(event);
  }

  #applyEvent(event: LoggedEvent): void {
    if (event.id.epoch >= workflowEpoch(this.step)) return;
    const withdrawn = event.event.type === 'reset' ? charactersFrom(this.#list, event.event.fromSeq) : 0;
    if (accept(this.#list, event) === 'accepted') this.discardedCharacters += withdrawn;
  }

  #storedOfStep(): LoggedEvent[] {
    const { fromSeq, after } = this.#current;
    const fresh = eventsAfter(this.#list, (after !== null && parseEventId(after)) || null);
    return fresh.filter(({ id, event }) => id.seq >= fromSeq && event.type !== 'reset');
  }
}

const charactersFrom = (list: readonly LoggedEvent[], seq: number): number =>
  list.reduce(
    (sum, { id, event }) => (event.type === 'chunk' && id.seq >= seq ? sum + event.content.length : sum),
    0,
  );
