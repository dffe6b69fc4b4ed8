import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { EventBatch } from '../contracts/wire/event-batch.ts';
import type { EventsPage, TurnProgress } from '../contracts/payload/turn-workflow.ts';

/** Durable events of a model attempt, in order; repeats are ignored. */
export const appendEventsSignal = defineSignal<[EventBatch[]]>('appendEvents');

/** Ends the turn with what was said; Temporal's own Cancel does the same. */
export const cancelTurnSignal = defineSignal('cancelTurn');

/** Durable events after an id (`null`: all); see `EventsPage`. */
export const eventsSinceQuery = defineQuery<EventsPage, [{ epoch: number; seq: number } | null]>(
  'eventsSince',
);

export const turnStatusQuery = defineQuery<TurnProgress>('turnStatus');
