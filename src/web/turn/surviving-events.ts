/*
 * The surviving events of a turn, and the view of them. All functions here are pure; resets and repeats are dealt with
 * here.
 */
import { compareEventIds, type EventId } from '../../contracts/wire/event-id.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { emptyView, foldEvent, type AnswerView } from './answer-view.ts';

/** An event of a turn as a stream brings it, under its id. */
export interface ReceivedEvent {
  readonly id: EventId;
  readonly event: TurnEvent;
}

interface SurvivingEvent {
  readonly seq: number;
  readonly event: TurnEvent;
}

/** All that a reader holds of a turn. `lastId` is the id to resume after, or null if nothing has come. */
export interface SurvivingEvents {
  readonly events: readonly SurvivingEvent[];
  readonly view: AnswerView;
  readonly lastId: EventId | null;
}

/** The log of a turn of which no event has come. */
export const emptyLog: SurvivingEvents = { events: [], view: emptyView, lastId: null };

/**
 * Returns the log after these events, in this order. A known or older event is left out, so that a stream may begin
 * again anywhere; a reset withdraws what it names. However the events are cut into calls, the result is the same.
 */
export const addEvents = (log: SurvivingEvents, arrived: readonly ReceivedEvent[]): SurvivingEvents => {
  let { view, lastId } = log;
  let events = [...log.events];
  for (const { id, event } of arrived) {
    if (lastId !== null && compareEventIds(id, lastId) <= 0) continue;
    lastId = id;
    if (event.type === 'reset') {
      events = events.filter(({ seq }) => seq < event.fromSeq);
      view = events.reduce((folded, each) => foldEvent(folded, each.seq, each.event), emptyView);
      continue;
    }
    const { seq } = id;
    events.push({ seq, event });
    view = foldEvent(view, seq, event);
  }
  return lastId === log.lastId ? log : { events, view, lastId };
};
