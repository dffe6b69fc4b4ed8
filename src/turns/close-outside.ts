import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import type { EventBatch } from '../contracts/wire/event-batch.ts';
import { turnWorkflowId } from '../contracts/ids.ts';
import type { TurnRepository } from '../db/turn-repository.ts';
import type { TurnRow } from '../db/turn-row.ts';
import { queryAllEvents } from './query-events.ts';

export interface CloseOutsideDeps {
  readonly client: Client;
  readonly turns: TurnRepository;
}

/**
 * Closes the row of a turn whose workflow has ended without doing so: terminated, timed out, or failed by a
 * defect. Keeps what was said, as far as the closed workflow still answers a query by its first run. Throws while
 * no worker answers for a workflow that was closed just now: the caller tries again.
 */
export const closeOutside = async ({ client, turns }: CloseOutsideDeps, row: TurnRow): Promise<void> => {
  const batches = row.runId === null ? [] : await durableEvents(client, row.turnId, row.runId);
  await turns.close({ turnId: row.turnId, outside: { batches } });
};

/** Workers that restart are back by then; after it the turn is closed without its text rather than never. */
const WORKERS_RETURN_MS = 30_000;

const durableEvents = async (client: Client, turnId: string, runId: string): Promise<EventBatch[]> => {
  const handle = client.workflow.getHandle(turnWorkflowId(turnId), runId);
  try {
    return await queryAllEvents(client, handle);
  } catch (error) {
    if (await closedLately(handle)) throw error;
    return [];
  }
};

const closedLately = async (handle: WorkflowHandle): Promise<boolean> => {
  try {
    const { closeTime } = await handle.describe();
    return closeTime !== undefined && Date.now() - closeTime.getTime() < WORKERS_RETURN_MS;
  } catch (error) {
    // Its history is gone: nobody will ever answer.
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
};
