import { isGrpcServiceError } from '@temporalio/client';
import { type Clock, systemClock } from '../base/timing/clock.ts';
import { hasGrpcStatus } from './grpc-status.ts';

/**
 * Milliseconds to wait for attributes that were just added. A frontend knows them only after its namespace cache was
 * refreshed, by default at most 2 s later. On a server of four services that took 0.45 to 1.4 s.
 */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 200;

/** Reports whether an error is the answer of a frontend that does not know a search attribute yet. Never throws. */
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
 * Starts a workflow with its search attributes. While the server does not know these, it tries again every 200 ms, and
 * after 3 s starts without them. Lists then miss one workflow, which is better than a refused turn. Rejects with
 * whatever else `start` rejects with.
 */
export const startWithAttributes = async <T>(
  start: (hasAttributes: boolean) => Promise<T>,
  clock: Pick<Clock, 'now' | 'after'> = systemClock,
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
