import { isGrpcServiceError } from '@temporalio/client';

/** gRPC status codes (grpc.io "Status codes") that mean: the server was not reached or did not answer. */
const UNREACHABLE: ReadonlySet<number> = new Set([
  1, // CANCELLED: a deadline of ours
  4, // DEADLINE_EXCEEDED
  8, // RESOURCE_EXHAUSTED
  14, // UNAVAILABLE
]);

/** Temporal cannot be reached or does not answer: the same call may succeed later. Never throws. */
export const isTemporalUnavailable = (error: unknown): boolean => {
  if (isGrpcServiceError(error)) return UNREACHABLE.has(error.code);
  if (!(error instanceof Error)) return false;
  return (
    error.message.startsWith('Failed to connect before the deadline') || isTemporalUnavailable(error.cause)
  );
};
