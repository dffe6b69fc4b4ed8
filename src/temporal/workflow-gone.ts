import { ServiceError, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { hasGrpcStatus } from './grpc-status.ts';

/**
 * Reports whether an update failed because there is no workflow, or because it ended before it responded. Any update
 * that the workflow has failed counts as the latter, so a caller first looks for refusals of its own. Never throws.
 */
export const isWorkflowGone = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError ||
  error instanceof WorkflowUpdateFailedError ||
  // Temporal answers this while the workflow is closing. The client wraps what it does not know.
  (error instanceof ServiceError && hasGrpcStatus(error.cause, 'ABORTED'));
