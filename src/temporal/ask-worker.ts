import { isGrpcServiceError, type Client } from '@temporalio/client';
import { hasGrpcStatus } from './grpc-status.ts';
import { isTemporalUnavailable, WorkersMissingError } from './temporal-unavailable.ts';

/** Milliseconds to find out if Temporal itself answers. The client must have its own answer within 2 s. */
const PROBE_MS = 300;

/** Makes a call that a worker has to answer, within `ms` milliseconds. Throws WorkersMissingError when none does. */
export const askWorker = async <T>(client: Client, ms: number, call: () => Promise<T>): Promise<T> => {
  try {
    return await client.withDeadline(Date.now() + ms, call);
  } catch (error) {
    if (isWorkerNotReady(error)) throw new WorkersMissingError(error);
    if (isTemporalUnavailable(error) && (await answers(client))) throw new WorkersMissingError(error);
    throw error;
  }
};

/**
 * Tells if Temporal answers, but no worker is ready to: none has polled lately, none has taken the workflow's first
 * task yet, or its last task was lost by a worker and will soon run again. The same call may succeed soon. Never
 * throws.
 */
export const isWorkerNotReady = (error: unknown): boolean =>
  isGrpcServiceError(error)
    ? hasGrpcStatus(error, 'FAILED_PRECONDITION')
    : error instanceof Error && error.cause !== undefined && isWorkerNotReady(error.cause);

const answers = (client: Client): Promise<boolean> =>
  client
    .withDeadline(Date.now() + PROBE_MS, () => client.workflowService.getSystemInfo({}))
    .then(
      () => true,
      () => false,
    );
