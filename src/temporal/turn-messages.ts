import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { EventBatch, EventsPage } from '../contracts/wire/event-batch.ts';
import type { AcceptedSteer, SteerReceipt, SteerRequest } from '../contracts/inputs/steering.ts';
import type { ReplyRequest } from '../contracts/inputs/reply.ts';
import type { StoredResolution } from '../contracts/inputs/input-request.ts';
import type { QUERY_OF_CLOSED } from '../contracts/payload/early-queries.ts';
import type { TurnProgress } from '../contracts/payload/turn-workflow-payloads.ts';

/** Sends durable events of a model attempt to the turn, in order. Events that come twice are ignored. */
export const appendEventsSignal = defineSignal<[EventBatch[]]>('appendEvents');

/** Ends the turn with what was said so far, as Temporal's own Cancel does. */
export const cancelTurnSignal = defineSignal('cancelTurn');

/** Resolves an input request and returns its resolution, or fails with a refusal (docs/inputs.md). */
export const replyUpdate = defineUpdate<StoredResolution, [ReplyRequest]>('reply');
/**
 * Sends a reply by signal, for Temporal's own tools. It returns nothing, so the sender does not learn whether the reply
 * was taken.
 */
export const replySignal = defineSignal<[ReplyRequest]>('reply');

/**
 * Sends a user's message into the running turn. It is answered once the message is accepted, or fails with a refusal
 * (docs/inputs.md "Steering").
 */
export const steerUpdate = defineUpdate<SteerReceipt, [SteerRequest]>('steer');
/**
 * Sends a message into a turn by signal, for Temporal's own tools. It returns nothing, so the sender does not learn
 * whether the message was accepted.
 */
export const steerSignal = defineSignal<[SteerRequest]>('steer');
/**
 * Returns the messages that were accepted and have not reached the model, for a process that closes a turn from
 * outside.
 */
export const pendingSteersQuery = defineQuery<AcceptedSteer[], [of?: typeof QUERY_OF_CLOSED]>(
  'pendingSteers',
);

/**
 * Returns one page of the durable events: those after an id, or from the first one if it is `null`. `of` is passed by a
 * caller that knows the workflow is closed (`QUERY_OF_CLOSED`).
 */
export const eventsSinceQuery = defineQuery<
  EventsPage,
  [after: { epoch: number; seq: number } | null, of?: typeof QUERY_OF_CLOSED]
>('eventsSince');

/** Returns the progress of a turn, for the status route and for a person in the Web UI. */
export const turnStatusQuery = defineQuery<TurnProgress>('turnStatus');
