import { isGrpcServiceError, type Client } from '@temporalio/client';
import { PROBE_MS } from './call-deadline.ts';
import { hasGrpcStatus } from './grpc-status.ts';
import { isTemporalUnavailable, WorkersMissingError } from './temporal-unavailable.ts';

/**
 * Makes a call that a worker has to answer, within `ms` milliseconds. Rejects with WorkersMissingError if Temporal
 * answers but no worker does, and otherwise with the failure of the call.
 */
export const askWorker = async <T>(client: Client, ms: number, call: () => Promise<T>): Promise<T> => {
  try {
    return await client.withDeadline(Date.now() + ms, call);
  } catch (error) {
    if (isWorkerNotReady(error)) throw new WorkersMissingError(error);
    if (isTemporalUnavailable(error) && (await isTemporalReachable(client))) {
      throw new WorkersMissingError(error);
    }
    throw error;
  }
};

/**
 * Reports whether an error says that Temporal answers, but no worker is ready: none has polled lately, none has taken
 * the workflow's first task yet, or its last task was lost by a worker and will soon run again. The same call may then
 * succeed soon. Never throws.
 */
export const isWorkerNotReady = (error: unknown): boolean =>
  isGrpcServiceError(error)
    ? hasGrpcStatus(error, 'FAILED_PRECONDITION')
    : error instanceof Error && error.cause !== undefined && isWorkerNotReady(error.cause);

const isTemporalReachable = (client: Client): Promise<boolean> =>
  client
    .withDeadline(Date.now() + PROBE_MS, () => client.workflowService.getSystemInfo({}))
    .then(
      () => true,
      () => false,
    );
