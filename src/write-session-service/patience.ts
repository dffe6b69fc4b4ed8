import type { Client } from '@temporalio/client';
import { isTemporalUnavailable, WorkersMissingError } from '../temporal/temporal-unavailable.ts';

/** An outage is told within twice this. */
const SLICE_MS = 1_000;
/** A commit of 10 MB on a busy machine is well within it; without a worker nobody ever answers. */
const LONGEST_MS = 15_000;

/**
 * Waits for what the server answers late: `work` is a call that may be repeated. A slow answer and a server that is
 * away both end in a deadline; only a server that answers another question is waited for. Throws what
 * `isTemporalUnavailable` knows.
 */
export const patiently = async <T>(client: Client, work: () => Promise<T>): Promise<T> => {
  const until = Date.now() + LONGEST_MS;
  for (;;) {
    try {
      return await client.withDeadline(Date.now() + SLICE_MS, work);
    } catch (error) {
      if (!isTemporalUnavailable(error)) throw error;
      await client.withDeadline(Date.now() + SLICE_MS, () => client.workflowService.getSystemInfo({}));
      if (Date.now() >= until) throw new WorkersMissingError(error);
    }
  }
};
