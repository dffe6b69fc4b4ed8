import { isGrpcServiceError } from '@temporalio/client';

/** The gRPC status codes that Orion distinguishes in Temporal's answers (grpc.io/docs/guides/status-codes). */
export const GRPC_STATUS = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNAVAILABLE: 14,
} as const;

/**
 * Reports whether an error is itself an answer of Temporal with one of these status codes. Its causes are not looked
 * at. Never throws.
 */
export const hasGrpcStatus = (error: unknown, ...statuses: readonly (keyof typeof GRPC_STATUS)[]): boolean =>
  isGrpcServiceError(error) && statuses.some((status) => error.code === GRPC_STATUS[status]);
