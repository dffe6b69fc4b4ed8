import { ActivityCancellationType } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';

/** What a call may take beyond its own deadline: claiming the epoch, storing the segment, one lost worker. */
const SLACK_MS = 15_000;
const LONGEST_TOOL_MS = 45_000;

/**
 * Up to 20 attempts inside the turn's time: lost workers and deploys are not the model's fault. Provider errors
 * are counted by the activity itself, at most three.
 */
export const callModelOptions = (
  summary: string,
  remainingMs: number,
  heartbeatTimeoutMs: number,
): ActivityOptions => ({
  summary,
  scheduleToCloseTimeout: Math.max(remainingMs, 0) + SLACK_MS,
  heartbeatTimeout: heartbeatTimeoutMs,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: 200, backoffCoefficient: 2, maximumInterval: 5_000, maximumAttempts: 20 },
});

/** Temporal's retries only recover lost workers: the runner retries by itself, the ledger stops second writes. */
export const executeToolOptions = (summary: string, heartbeatTimeoutMs: number): ActivityOptions => ({
  summary,
  startToCloseTimeout: LONGEST_TOOL_MS,
  heartbeatTimeout: heartbeatTimeoutMs,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: 100, backoffCoefficient: 2, maximumInterval: 2_000, maximumAttempts: 5 },
});

/** A turn must be closed, whatever it takes: retried for ever. */
export const closeTurnOptions: ActivityOptions = {
  summary: 'close turn',
  startToCloseTimeout: 5_000,
  retry: { initialInterval: 100, backoffCoefficient: 2, maximumInterval: 2_000 },
};
