import { isGrpcServiceError } from '@temporalio/client';
import { hasGrpcStatus } from './grpc-status.ts';

/**
 * Status codes of a server that was not reached or did not answer. `CANCELLED` comes from a deadline that Orion has
 * set.
 */
const UNREACHABLE = ['CANCELLED', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED', 'UNAVAILABLE'] as const;

/**
 * Temporal answers, but no worker does. The same call succeeds once a worker runs. `isTemporalUnavailable` includes
 * this error, so that code that waits for Temporal also waits for a worker.
 */
export class WorkersMissingError extends Error {
  override readonly name = 'WorkersMissingError';

  constructor(cause: unknown) {
    super('no worker answers', { cause });
  }
}

/** Reports whether Temporal cannot be reached or does not answer. The same call may succeed later. Never throws. */
export const isTemporalUnavailable = (error: unknown): boolean => {
  if (error instanceof WorkersMissingError) return true;
  if (isGrpcServiceError(error)) return hasGrpcStatus(error, ...UNREACHABLE);
  if (!(error instanceof Error)) return false;
  return (
    error.message.startsWith('Failed to connect before the deadline') || isTemporalUnavailable(error.cause)
  );
};
