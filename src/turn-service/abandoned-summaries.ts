import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { compactWorkflowId } from '../contracts/values/workflow-ids.ts';
import type { CompactInput } from '../contracts/payload/compact-payloads.ts';
import type { SummaryRepository } from '../db/conversations/summary-repository.ts';
import { callWithDeadline } from '../temporal/call-deadline.ts';

export interface AbandonedSummaryDeps {
  readonly client: Client;
  readonly summaries: Pick<SummaryRepository, 'claimReserved' | 'settleLost'>;
}

/**
 * Milliseconds after the end of a compaction's workflow in which its worker may still be at work. The worker learns by
 * its heartbeat, within 10 s, that its result is no longer wanted, and then settles by itself.
 */
const WORKER_LEARNS_MS = 15_000;

/**
 * Settles what is reserved for a summary whose workflow has ended without settling it, because it was cancelled or
 * terminated, or timed out because its worker never came back. Returns `running` and does nothing while the compaction
 * may go on. Throws while Postgres or Temporal cannot be reached.
 */
export const settleAbandonedSummary = async (
  { client, summaries }: AbandonedSummaryDeps,
  { turnId, leafTurnId }: CompactInput,
): Promise<'running' | 'closed_here'> => {
  if (await mayCompactionContinue(client, turnId)) return 'running';
  await summaries.settleLost(leafTurnId);
  return 'closed_here';
};

/**
 * Reports whether a compaction may still be continued: its workflow runs, or has ended so recently that its worker may
 * not know it yet. Throws while Temporal cannot be reached.
 */
export const mayCompactionContinue = async (client: Client, turnId: string): Promise<boolean> => {
  const handle = client.workflow.getHandle(compactWorkflowId(turnId));
  try {
    const { closeTime } = await callWithDeadline(client, () => handle.describe());
    return closeTime === undefined || Date.now() - closeTime.getTime() < WORKER_LEARNS_MS;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
};
