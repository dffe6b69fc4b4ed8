import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { turnWorkflowId } from '../contracts/values/workflow-ids.ts';
import { TURN_SUPERSEDED } from '../contracts/payload/turn-activity-payloads.ts';
import type { TurnInput } from '../contracts/payload/turn-workflow-payloads.ts';
import type { TurnRow } from '../db/turns/turn-row.ts';
import { closeOutside, type CloseOutsideDeps } from './close-outside.ts';
import { callWithDeadline } from '../temporal/call-deadline.ts';
import { startWithAttributes } from '../temporal/search-attribute-delay.ts';
import { turnStartOptions } from './turn-start-options.ts';

export interface ReconcileDeps extends CloseOutsideDeps {
  readonly client: Client;
  readonly taskQueue: string;
}

/**
 * The result of reconciling a turn.
 *
 * - `running`: the turn's workflow runs.
 * - `closed_here`: the turn's own run had ended, and this call has closed the row.
 * - `already_closed`: the row was closed by the turn or another process meanwhile.
 */
export type ReconcileResult = 'running' | 'closed_here' | 'already_closed';

/**
 * Starts the workflow of an open row if it was never started, and closes the row if its workflow has ended
 * (docs/turns.md "Starting a turn"). It always tries to start the workflow, and concludes nothing from "not found", so
 * that every crash point and every click in the Web UI heals the same way. Throws while Temporal or Postgres cannot be
 * reached, and as `closeOutside` does.
 */
export const reconcileTurn = async (deps: ReconcileDeps, row: TurnRow): Promise<ReconcileResult> => {
  const start = (input: TurnInput) =>
    callWithDeadline(deps.client, () =>
      deps.client.workflow.start('turnWorkflow', turnStartOptions(deps.taskQueue, input)),
    );
  try {
    const { firstExecutionRunId: runId } = row.input.searchAttributes
      ? await startWithAttributes((hasAttributes) => start({ ...row.input, searchAttributes: hasAttributes }))
      : await start(row.input);
    // The id is that of the open run, which a reset may have begun.
    if (row.runId === null || runId === row.runId) return 'running';
    return await endReset(deps, row, runId);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return closeRow(deps, row);
  }
};

/**
 * Reconciles a turn if its row says that it runs, for a caller that has found no workflow of it. Returns true when the
 * workflow runs now. Throws as `reconcileTurn` does.
 */
export const ensureTurnRuns = async (deps: ReconcileDeps, turnId: string): Promise<boolean> => {
  const row = await deps.turns.find(turnId);
  return row?.status === 'running' && (await reconcileTurn(deps, row)) === 'running';
};

/**
 * Ends a turn whose own run was ended by a reset in the Web UI. The run that the reset began may not act. While that
 * run waits for a person, it would find this out only when its timer ends.
 */
const endReset = async (deps: ReconcileDeps, row: TurnRow, runId: string): Promise<ReconcileResult> => {
  const resetRun = deps.client.workflow.getHandle(turnWorkflowId(row.turnId), runId);
  // Ended before the row is closed, because nobody looks after the workflow of a closed row again.
  await callWithDeadline(deps.client, () => resetRun.terminate(TURN_SUPERSEDED)).catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
  return closeRow(deps, row);
};

const closeRow = async (deps: ReconcileDeps, row: TurnRow): Promise<ReconcileResult> =>
  (await closeOutside(deps, row)) ? 'closed_here' : 'already_closed';

/**
 * Does the same as `reconcileTurn`, for callers that reconcile a turn again and again. A turn may wait for a person
 * for a week. Such a turn is not started at each call, because one request to Temporal shows whether it still runs.
 */
export const reconcilePolledTurn = async (deps: ReconcileDeps, row: TurnRow): Promise<ReconcileResult> =>
  row.waitingFor !== null && row.runId !== null && (await isRunning(deps, row.turnId, row.runId))
    ? 'running'
    : reconcileTurn(deps, row);

const isRunning = async ({ client }: ReconcileDeps, turnId: string, runId: string): Promise<boolean> => {
  const handle = client.workflow.getHandle(turnWorkflowId(turnId), runId);
  try {
    const { status } = await callWithDeadline(client, () => handle.describe());
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
};
