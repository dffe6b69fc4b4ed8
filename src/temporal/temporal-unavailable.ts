import { isGrpcServiceError } from '@temporalio/client';
import { hasGrpcStatus } from './grpc-status.ts';

/**
 * Status codes of a server that was not reached, did not answer in time or has no capacity left. `CANCELLED` comes from
 * a deadline or an abort that Orion has set.
 */
const UNREACHABLE = ['CANCELLED', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED', 'UNAVAILABLE'] as const;

/**
 * Temporal answers, but no worker does. The same call may succeed once a worker runs. `isTemporalUnavailable` includes
 * this error, so that code that waits for Temporal also waits for a worker.
 */
export class WorkersMissingError extends Error {
  override readonly name = 'WorkersMissingError';

  constructor(cause: unknown) {
    super('no worker answers', { cause });
  }
}

/**
 * Reports whether Temporal cannot be reached, does not answer or is overloaded, or no worker answers. The same call may
 * succeed later. Never throws.
 */
export const isTemporalUnavailable = (error: unknown): boolean => {
  if (error instanceof WorkersMissingError) return true;
  if (isGrpcServiceError(error)) return hasGrpcStatus(error, ...UNREACHABLE);
  if (!(error instanceof Error)) return false;
  return (
    error.message.startsWith('Failed to connect before the deadline') || isTemporalUnavailable(error.cause)
  );
};
