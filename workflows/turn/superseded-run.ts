import { workflowInfo, ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { TURN_SUPERSEDED } from '../../src/contracts/payload/turn-activity-payloads.ts';

/** Reports whether this run was started by a reset. Such a run may not act, and its log must not be read. */
export const isResetRun = (): boolean => workflowInfo().runId !== workflowInfo().firstExecutionRunId;

/**
 * Throws ApplicationFailure if this run was started by a reset. The sender of a message then looks up the turn itself.
 */
export const refuseResetRun = (): void => {
  if (!isResetRun()) return;
  const message = 'This run of the turn was reset.';
  throw ApplicationFailure.create({ message, type: TURN_SUPERSEDED, nonRetryable: true });
};

/**
 * Reports whether `error` is that of an activity which found that this run may not act, for example because the turn
 * was reset or another process has closed it.
 */
export const isTurnSuperseded = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === TURN_SUPERSEDED;
