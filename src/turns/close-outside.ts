import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import { turnWorkflowId } from '../contracts/ids.ts';
import type { TurnRepository } from '../db/turns/turn-repository.ts';
import type { TurnRow } from '../db/turns/turn-row.ts';
import type { OutsideClose } from '../db/turns/outside-close.ts';
import { queryAllEvents, queryPendingSteers } from './query-events.ts';

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
  const outside = row.runId === null ? { batches: [] } : await durably(client, row.turnId, row.runId);
  await turns.close({ turnId: row.turnId, outside });
};

/** Workers that restart are back by then; after it the turn is closed without its text rather than never. */
const WORKERS_RETURN_MS = 30_000;

/** What the closed workflow knows: its events, and the messages into the turn that its model has not read. */
const durably = async (client: Client, turnId: string, runId: string): Promise<OutsideClose['outside']> => {
  const handle = client.workflow.getHandle(turnWorkflowId(turnId), runId);
  try {
    const batches = await queryAllEvents(client, handle);
    const unapplied = await queryPendingSteers(client, handle);
    return { batches, ...(unapplied.length > 0 && { unapplied }) };
  } catch (error) {
    if (await closedLately(handle)) throw error;
    return { batches: [] };
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
