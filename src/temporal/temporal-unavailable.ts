import { isGrpcServiceError } from '@temporalio/client';

/** gRPC status codes (grpc.io "Status codes") that mean: the server was not reached or did not answer. */
const UNREACHABLE: ReadonlySet<number> = new Set([
  1, // CANCELLED: a deadline of ours
  4, // DEADLINE_EXCEEDED
  8, // RESOURCE_EXHAUSTED
  14, // UNAVAILABLE
]);

/**
 * Temporal answers, and no worker does: the same call succeeds once one runs. `isTemporalUnavailable` knows it, so
 * that whoever waits for the one waits for the other.
 */
export class WorkersMissingError extends Error {
  override readonly name = 'WorkersMissingError';

  constructor(cause: unknown) {
    super('no worker answers', { cause });
  }
}

/** Temporal cannot be reached or does not answer: the same call may succeed later. Never throws. */
export const isTemporalUnavailable = (error: unknown): boolean => {
  if (error instanceof WorkersMissingError) return true;
  if (isGrpcServiceError(error)) return UNREACHABLE.has(error.code);
  if (!(error instanceof Error)) return false;
  return (
    error.message.startsWith('Failed to connect before the deadline') || isTemporalUnavailable(error.cause)
  );
};
