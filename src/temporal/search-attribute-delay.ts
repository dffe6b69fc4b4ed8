import { isGrpcServiceError } from '@temporalio/client';
import type { Clock } from '../base/pace/clock.ts';
import { hasGrpcStatus } from './grpc-status.ts';

/**
 * Milliseconds to wait: a frontend knows attributes that were just added only after its namespace cache was refreshed,
 * 2 s later at the most by default; measured on a server of four services: 0.45 to 1.4 s.
 */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 200;

/** True when an error is the answer of a frontend that does not know a search attribute yet. Never throws. */
export const isAttributeUnknown = (error: unknown): boolean => {
  if (isGrpcServiceError(error)) {
    return (
      hasGrpcStatus(error, 'INVALID_ARGUMENT') &&
      error.details.includes('no mapping defined for search attribute')
    );
  }
  return error instanceof Error && isAttributeUnknown(error.cause);
};

/**
 * Starts a workflow with its search attributes; while the server does not know these, tries again every 200 ms, and
 * after 3 s without them: lists then miss one workflow, which is better than a refused turn. Rejects with whatever else
 * `start` rejects with.
 */
export const startWithAttributes = async <T>(
  start: (hasAttributes: boolean) => Promise<T>,
  clock: Pick<Clock, 'now' | 'after'>,
): Promise<T> => {
  const deadline = clock.now() + PATIENCE_MS;
  while (clock.now() < deadline) {
    try {
      return await start(true);
    } catch (error) {
      if (!isAttributeUnknown(error)) throw error;
    }
    await new Promise<void>((resolve) => void clock.after(PAUSE_MS, resolve));
  }
  return start(false);
};
