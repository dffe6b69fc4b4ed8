import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import { formatEventId, OUTSIDE_EPOCH } from '../../contracts/wire/event-id.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { mergeBatches, packEvents, type LoggedEvent } from './event-log.ts';

/** The event list of a turn that is closed by a process other than its workflow. */
export interface OutsideList {
  readonly ownEvents: EventBatch[];
  /** Id of the terminal event, which follows `ownEvents` and is not in them. */
  readonly terminalId: string;
  /** Id of the last of `ownEvents`. */
  readonly terminalAfter: string;
  /** The last phase that had begun. Undefined if none had. */
  readonly phase: Extract<TurnEvent, { type: 'phase' }> | undefined;
}

/**
 * Returns the event list of an outside close (docs/events.md): a reset that withdraws everything, then the durable
 * events under ids that no other writer uses. Resets among the durable events are left out, since they have done their
 * work and would withdraw other events under the new numbers.
 */
export const outsideList = (batches: readonly EventBatch[]): OutsideList => {
  const events = mergeBatches(batches)
    .map(({ event }) => event)
    .filter((event) => event.type !== 'reset');
  const list: LoggedEvent[] = [
    { id: at(0), after: null, event: { type: 'reset', fromSeq: 1 } },
    ...events.map((event, index) => ({ id: at(index + 1), event })),
  ];
  return {
    ownEvents: packEvents(list),
    terminalId: formatEventId(at(list.length)),
    terminalAfter: formatEventId(at(list.length - 1)),
    phase: events.findLast((event) => event.type === 'phase'),
  };
};

const at = (seq: number) => ({ epoch: OUTSIDE_EPOCH, seq });
