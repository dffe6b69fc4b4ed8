/** The surviving events of a turn, and the view of them. Pure; resets and repeats are dealt with here. */
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { emptyView, foldEvent, type AnswerView } from './answer-view.ts';

/** An event as a stream brings it; `id` is `<epoch>-<seq>`. */
export interface ArrivedEvent {
  readonly id: string;
  readonly event: TurnEvent;
}

interface SurvivingEvent {
  readonly seq: number;
  readonly event: TurnEvent;
}

/** All that a reader holds of a turn. `lastId`: what to resume after; null: nothing has come. */
export interface SurvivingEvents {
  readonly events: readonly SurvivingEvent[];
  readonly view: AnswerView;
  readonly lastId: string | null;
}

/** The log of a turn of which no event has come. */
export const emptyLog: SurvivingEvents = { events: [], view: emptyView, lastId: null };

/**
 * The log after these events, in this order. One that is known or older is left out, so that a stream may begin again
 * anywhere; a reset withdraws what it names. However the events are cut into calls, the result is the same.
 */
export const takeEvents = (log: SurvivingEvents, arrived: readonly ArrivedEvent[]): SurvivingEvents => {
  let { view, lastId } = log;
  let events = [...log.events];
  for (const { id, event } of arrived) {
    if (lastId !== null && !isAfter(id, lastId)) continue;
    lastId = id;
    if (event.type === 'reset') {
      events = events.filter(({ seq }) => seq < event.fromSeq);
      view = events.reduce((folded, each) => foldEvent(folded, each.seq, each.event), emptyView);
      continue;
    }
    const { seq } = partsOf(id);
    events.push({ seq, event });
    view = foldEvent(view, seq, event);
  }
  return lastId === log.lastId ? log : { events, view, lastId };
};

const partsOf = (id: string): { epoch: number; seq: number } => {
  const [epoch = '', seq = ''] = id.split('-');
  return { epoch: Number(epoch), seq: Number(seq) };
};

/** Ids order by epoch, then by seq (docs/events.md "Ids"). */
const isAfter = (id: string, other: string): boolean => {
  const [a, b] = [partsOf(id), partsOf(other)];
  return a.epoch === b.epoch ? a.seq > b.seq : a.epoch > b.epoch;
};
