import { QueryNotRegisteredError, type Client, type WorkflowHandle } from '@temporalio/client';
import type { EventBatch, EventsPage } from '../contracts/wire/event-batch.ts';
import { expandBatch } from '../protocol/event-log/event-log.ts';
import type { EventId } from '../contracts/wire/event-id.ts';
import type { AcceptedSteer } from '../contracts/inputs/steering.ts';
import { QUERY_OF_CLOSED } from '../contracts/payload/early-queries.ts';
import { queryOnceTaskEnded } from '../temporal/query-retries.ts';
import { eventsSinceQuery, pendingSteersQuery } from '../temporal/turn-messages.ts';

/** Milliseconds within which one query must be answered. */
const QUERY_DEADLINE_MS = 2_000;
/** Begins the message with which the workflow SDK fails a query that has no handler. */
const NO_HANDLER = 'Workflow did not register a handler for ';

/**
 * The state of the queried turn. `closed` means that none of its workflow tasks will start any longer, so that events
 * which only its history has count, too.
 */
type QueriedTurn = 'running' | typeof QUERY_OF_CLOSED;

/**
 * Reads one page of a turn's durable events: those after `from`, or from the first one if `from` is null. In a running
 * turn it waits for a workflow task that is under way (docs/decisions/queries-wait-for-tasks.md). Throws when no worker
 * answers within `QUERY_DEADLINE_MS`, or the query fails otherwise.
 */
export const queryPage = (
  client: Client,
  handle: WorkflowHandle,
  from: EventId | null,
  turnState: QueriedTurn = 'running',
): Promise<EventsPage> =>
  client.withDeadline(Date.now() + QUERY_DEADLINE_MS, () =>
    turnState === QUERY_OF_CLOSED
      ? handle.query(eventsSinceQuery, from, QUERY_OF_CLOSED)
      : queryOnceTaskEnded(() => handle.query(eventsSinceQuery, from)),
  );

/** Reads all durable events of a turn, page by page. Throws as `queryPage` does. */
export const queryAllEvents = async (
  client: Client,
  handle: WorkflowHandle,
  turnState: QueriedTurn = 'running',
): Promise<EventBatch[]> => {
  const batches: EventBatch[] = [];
  let from: EventId | null = null;
  for (;;) {
    const page: EventsPage = await queryPage(client, handle, from, turnState);
    batches.push(...page.batches);
    const last = page.batches.at(-1);
    if (!page.more || last === undefined) return batches;
    from = expandBatch(last).at(-1)?.id ?? from;
  }
};

/**
 * Reads the messages into a closed turn that its model has not read. Returns none if the workflow does not know the
 * query, as in a worker of a version without it. Throws otherwise as `queryPage` does.
 */
export const queryPendingSteers = async (
  client: Client,
  handle: WorkflowHandle,
): Promise<AcceptedSteer[]> => {
  try {
    return await client.withDeadline(Date.now() + QUERY_DEADLINE_MS, () =>
      handle.query(pendingSteersQuery, QUERY_OF_CLOSED),
    );
  } catch (error) {
    if (isQueryUnknown(error)) return [];
    throw error;
  }
};

/**
 * Reports whether a query failed because the workflow has no handler for it, as in a worker of an earlier version. The
 * SDK throws the same class of error for every query that fails. Never throws.
 */
export const isQueryUnknown = (error: unknown): boolean =>
  error instanceof QueryNotRegisteredError && error.message.startsWith(NO_HANDLER);
