import type { Client } from '@temporalio/client';
import type { EventBatch } from '../contracts/event-batch.ts';
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
 * defect. Keeps what was said, as far as the closed workflow still answers a query by its first run.
 */
export const closeOutside = async ({ client, turns }: CloseOutsideDeps, row: TurnRow): Promise<void> => {
  const batches = row.runId === null ? [] : await durableEvents(client, row.turnId, row.runId);
  await turns.close({ turnId: row.turnId, outside: { batches } });
};

const durableEvents = async (client: Client, turnId: string, runId: string): Promise<EventBatch[]> => {
  try {
    return await queryAllEvents(client, client.workflow.getHandle(turnWorkflowId(turnId), runId));
  } catch {
    // No worker answers, or the history is gone: the turn is closed without its text rather than never.
    return [];
  }
};
