/*
 * The event list of a turn. Workflow, hub and late readers build it with one function, `accept`, from the events that
 * reach them in any order, and all get the same list. The rules, and what goes wrong without each of them:
 * docs/events.md.
 */
import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { compareEventIds, parseEventId, type EventId } from '../../contracts/wire/event-id.ts';

/** An event with its id, the form in which lists contain it. */
export interface LoggedEvent {
  readonly id: EventId;
  /**
   * Id of the stored event that this one follows, or null if it follows none. Present only on the first event of an
   * epoch.
   */
  readonly after?: string | null;
  readonly event: TurnEvent;
}

/**
 * Takes the next event into `list`, which is sorted by id and has no gap. Returns what became of the event:
 *
 * - `accepted`: it is in the list. A reset first removed the events that it withdraws.
 * - `stale`: it is in the list already, or its writer is outdated. The list is unchanged.
 * - `gap`: something before it is missing, and the list is unchanged. A reader keeps or drops the event, and asks for
 *   what follows the last id it has. The workflow drops the event.
 */
export const accept = (list: LoggedEvent[], event: LoggedEvent): 'accepted' | 'stale' | 'gap' => {
  const last = list.at(-1);
  if (last && compareEventIds(event.id, last.id) <= 0) return 'stale';
  if (last && event.id.epoch === last.id.epoch) {
    if (event.id.seq !== last.id.seq + 1) return 'gap';
    list.push(event);
    return 'accepted';
  }
  const keep = countKept(list, event.after);
  if (keep === undefined) return 'gap';
  // Only a reset may withdraw events; any other event that starts an epoch must follow the last one.
  if (event.event.type !== 'reset' && keep !== list.length) return 'gap';
  list.length = keep;
  list.push(event);
  return 'accepted';
};

/**
 * Counts the events up to and including the one with the id `after`. Returns undefined if `after` is absent or not in
 * the list.
 */
const countKept = (list: readonly LoggedEvent[], after: string | null | undefined): number | undefined => {
  if (after === undefined) return undefined;
  if (after === null) return 0;
  const id = parseEventId(after);
  if (!id) return undefined;
  const keep = countUpTo(list, id);
  const found = list[keep - 1];
  return found && compareEventIds(found.id, id) === 0 ? keep : undefined;
};

/** Returns the number of listed events with an id not above `id`. */
const countUpTo = (list: readonly LoggedEvent[], id: EventId): number => {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = list[middle];
    if (at && compareEventIds(at.id, id) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Returns the events with ids above `id`, or all of them if `id` is null. `id` itself need not be in the list. */
export const eventsAfter = (list: readonly LoggedEvent[], id: EventId | null): LoggedEvent[] =>
  id ? list.slice(countUpTo(list, id)) : list.slice();

/** Returns the event that `eventsAfter` would begin with, without copying the rest. */
export const nextAfter = (list: readonly LoggedEvent[], id: EventId | null): LoggedEvent | undefined =>
  list[id ? countUpTo(list, id) : 0];

/** Returns the events of a batch, each under its own id. */
export const expandBatch = (batch: EventBatch): LoggedEvent[] =>
  batch.events.map((entry, index) => {
    const id = { epoch: batch.epoch, seq: batch.seq + index };
    const event: TurnEvent = typeof entry === 'string' ? { type: 'chunk', content: entry } : entry;
    return index === 0 && batch.after !== undefined ? { id, after: batch.after, event } : { id, event };
  });

/** Returns the shortest list of batches that `expandBatch` turns into the same events in the same order. */
export const packEvents = (events: readonly LoggedEvent[]): EventBatch[] => {
  const batches: EventBatch[] = [];
  for (const { id, after, event } of events) {
    const entry = event.type === 'chunk' && event.notice === undefined ? event.content : event;
    const open = batches.at(-1);
    const follows = open?.epoch === id.epoch && open.seq + open.events.length === id.seq;
    if (open && follows) open.events.push(entry);
    else batches.push(after === undefined ? { ...id, events: [entry] } : { ...id, after, events: [entry] });
  }
  return batches;
};

/**
 * Returns the surviving list of an ended turn from all of its segments, including those of dead attempts and of the
 * workflow. The segments may be in any order and have repeats.
 */
export const mergeBatches = (batches: readonly EventBatch[]): LoggedEvent[] => {
  const list: LoggedEvent[] = [];
  const events = batches.flatMap(expandBatch).sort((a, b) => compareEventIds(a.id, b.id));
  for (const event of events) accept(list, event);
  return list;
};

/**
 * Returns the model's text: the content of all chunks that are not notices, in order (I4 of docs/protocol.md
 * "Invariants").
 */
export const fullContentOf = (list: readonly LoggedEvent[]): string => {
  let content = '';
  for (const { event } of list) {
    if (event.type === 'chunk' && event.notice === undefined) content += event.content;
  }
  return content;
};
