import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isWorkerNotReady } from './ask-worker.ts';
import { isTemporalUnavailable, WorkersMissingError } from './temporal-unavailable.ts';

/** Time in milliseconds for one request to Temporal. An outage is reported within twice this time. */
const SLICE_MS = 1_000;
/**
 * Time in milliseconds after which a call is given up although Temporal can be reached. A commit of 10 MB on a busy
 * machine takes much less, and without a worker the workflow never responds.
 */
const MAX_WAIT_MS = 15_000;
/** Milliseconds to wait before a call is repeated for which no worker is ready (`isWorkerNotReady`). */
const READY_PAUSE_MS = 100;

/**
 * Makes a call, which must be safe to repeat, until Temporal responds to it, for about `MAX_WAIT_MS` at most. A slow
 * response and a server that is away both end in a deadline, so the call is repeated only if the server responds to
 * another call. Throws what `work` throws, and errors that `isTemporalUnavailable` recognises.
 */
export const callUntilAnswered = async <T>(client: Client, work: () => Promise<T>): Promise<T> => {
  const until = Date.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      return await client.withDeadline(Date.now() + SLICE_MS, work);
    } catch (error) {
      if (isWorkerNotReady(error)) await delay(READY_PAUSE_MS);
      else if (!isTemporalUnavailable(error)) throw error;
      await client.withDeadline(Date.now() + SLICE_MS, () => client.workflowService.getSystemInfo({}));
      if (Date.now() >= until) throw new WorkersMissingError(error);
    }
  }
};
