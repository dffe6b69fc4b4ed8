import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import type { AcceptedSteer } from '../contracts/inputs/steering.ts';
import { turnWorkflowId } from '../contracts/values/workflow-ids.ts';
import { QUERY_OF_CLOSED } from '../contracts/payload/early-queries.ts';
import type { TurnRepository } from '../db/turns/turn-repository.ts';
import type { TurnRow } from '../db/turns/turn-row.ts';
import type { OutsideClose } from '../db/turns/outside-close.ts';
import { callWithDeadline } from '../temporal/call-deadline.ts';
import { queryAllEvents, queryPendingSteers } from './query-events.ts';
import { findFirstRunId, type WorkflowExecution, readSteerHistory } from './steer-history.ts';

export interface CloseOutsideDeps {
  readonly client: Client;
  readonly turns: TurnRepository;
}

/**
 * Closes the row of a turn whose workflow has ended without closing it: terminated, timed out, or failed by a defect.
 * Returns false when the row was closed since it was read.
 *
 * The text of the turn is kept if the first run of the closed workflow still answers queries. If it does not, the text
 * is lost, and all messages into the turn that the history contains are reported as unread. Throws while no worker
 * answers for a workflow that was closed just now, and while Temporal or Postgres cannot be reached. The caller then
 * tries again.
 */
export const closeOutside = async ({ client, turns }: CloseOutsideDeps, row: TurnRow): Promise<boolean> => {
  const workflowId = turnWorkflowId(row.turnId);
  // The row has no run id until the first activity has begun.
  const runId = row.runId ?? (await findFirstRunId(client, workflowId));
  const outside =
    runId === undefined ? { batches: [] } : await readDurableParts(client, { workflowId, runId });
  return (await turns.close({ turnId: row.turnId, outside })).isClosedHere;
};

/**
 * Milliseconds within which workers that restart are back. After that, a turn is closed without its text rather than
 * never.
 */
const WORKERS_RETURN_MS = 30_000;

/** Reads from the closed workflow its events, and the messages into the turn that its model has not read. */
const readDurableParts = async (client: Client, run: WorkflowExecution): Promise<OutsideClose['outside']> => {
  const handle = client.workflow.getHandle(run.workflowId, run.runId);
  try {
    const batches = await queryAllEvents(client, handle, QUERY_OF_CLOSED);
    return { batches, ...unappliedField(await queryPendingSteers(client, handle)) };
  } catch (error) {
    // Whatever made the queries fail, the history has the messages, and shows whether a worker may still answer later.
    const { hasBegun, accepted } = await readSteerHistory(client, run);
    if (hasBegun && (await wasClosedRecently(client, handle))) throw error;
    return { batches: [], ...unappliedField(accepted) };
  }
};

const unappliedField = (steers: readonly AcceptedSteer[]): Pick<OutsideClose['outside'], 'unapplied'> =>
  steers.length === 0 ? {} : { unapplied: steers };

const wasClosedRecently = async (client: Client, handle: WorkflowHandle): Promise<boolean> => {
  try {
    const { closeTime } = await callWithDeadline(client, () => handle.describe());
    return closeTime !== undefined && Date.now() - closeTime.getTime() < WORKERS_RETURN_MS;
  } catch (error) {
    // The history is gone, so no answer will ever come.
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
};
