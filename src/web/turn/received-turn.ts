/*
 * The surviving events of a turn, and the view of them. Resets and repeated events are handled here. All functions here
 * are pure.
 */
import { compareEventIds, type EventId } from '../../contracts/wire/event-id.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { EMPTY_VIEW, foldEvent, type AnswerView } from './answer-view.ts';

/** An event of a turn with its id, as a stream brings it. */
export interface ReceivedEvent {
  readonly id: EventId;
  readonly event: TurnEvent;
}

interface SurvivingEvent {
  readonly seq: number;
  readonly event: TurnEvent;
}

/**
 * Everything that a reader holds of a turn. `lastId` is the id of the last event, after which a stream resumes, or null
 * before the first.
 */
export interface ReceivedTurn {
  readonly events: readonly SurvivingEvent[];
  readonly view: AnswerView;
  readonly lastId: EventId | null;
}

/** What a reader holds of a turn before its first event. */
export const NOTHING_RECEIVED: ReceivedTurn = { events: [], view: EMPTY_VIEW, lastId: null };

/**
 * Returns what a reader holds after these events. Known or older events are skipped, so a stream may begin again
 * anywhere, and a reset withdraws the events that it names. The result does not depend on how the events are divided
 * into calls.
 */
export const addEvents = (received: ReceivedTurn, arrived: readonly ReceivedEvent[]): ReceivedTurn => {
  let { view, lastId } = received;
  let events = [...received.events];
  for (const { id, event } of arrived) {
    if (lastId !== null && compareEventIds(id, lastId) <= 0) continue;
    lastId = id;
    if (event.type === 'reset') {
      events = events.filter(({ seq }) => seq < event.fromSeq);
      view = events.reduce((folded, each) => foldEvent(folded, each.seq, each.event), EMPTY_VIEW);
      continue;
    }
    const { seq } = id;
    events.push({ seq, event });
    view = foldEvent(view, seq, event);
  }
  return lastId === received.lastId ? received : { events, view, lastId };
};
