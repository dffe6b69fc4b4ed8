import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';

/** How a workflow ended, in the words of the Web UI. */
export type WorkflowEnd =
  | { readonly status: 'Completed'; readonly result: unknown }
  | { readonly status: 'Canceled' }
  | {
      readonly status: 'Failed';
      readonly type: string | null | undefined;
      readonly message: string;
      readonly retryable: boolean;
      readonly details: unknown;
    };

/**
 * Resolves to how the workflow ended. Rejects on ends that are not Orion's own: a termination, a timeout, a failed
 * activity.
 */
export const endOf = async (handle: WorkflowHandle): Promise<WorkflowEnd> => {
  try {
    return { status: 'Completed', result: await handle.result() };
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
    if (cause instanceof CancelledFailure) return { status: 'Canceled' };
    if (!(cause instanceof ApplicationFailure)) throw error;
    const { type, message, nonRetryable, details } = cause;
    return { status: 'Failed', type, message, retryable: nonRetryable !== true, details: details?.[0] };
  }
};
