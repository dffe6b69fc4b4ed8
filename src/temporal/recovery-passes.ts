import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { RunExclusive } from '../base/timing/run-exclusive.ts';
import { type LostWorkers, recoverLostWork } from './lost-work-recovery.ts';

/** Milliseconds within which the requests of one pass must be answered. */
const PASS_TIMEOUT_MS = 10_000;
/**
 * Milliseconds before each pass over the work of lost workers. The server's list of workflows is half a second behind,
 * and more under load.
 */
const PAUSES_MS = [0, 300, 400, 1_800];

/**
 * Makes one pass over the work of lost workers (`recoverLostWork`), without the runs in `seen`, to which it adds those
 * that it has handled. Its requests must be answered within `PASS_TIMEOUT_MS` in all. Rejects as `recoverLostWork`
 * does, and when that time is over.
 */
export const recoverOnce = (client: Client, workers: LostWorkers, seen: Set<string>): Promise<number> =>
  client.withDeadline(Date.now() + PASS_TIMEOUT_MS, () => recoverLostWork(workers, client, seen));

/** The workers whose work is recovered, and callbacks for the results. */
export interface RecoveryPasses {
  readonly client: Client;
  /**
   * Runs one pass at a time. It is shared by all callers that may find the same workers lost: an activity is failed by
   * its name, so a second pass at the same time would fail the attempt that the first pass has caused.
   */
  readonly runExclusive: RunExclusive;
  readonly workers: LostWorkers;
  /** No further pass is asked for once this is aborted. */
  readonly closed: AbortSignal;
  /** Called after a pass with the number of activities that it has interrupted, unless there was none. */
  onRecovered(activities: number): void;
  /**
   * Called when a pass has failed, unless `closed` is aborted. A later pass may succeed. Otherwise Temporal notices by
   * missing heartbeats.
   */
  onFailed(error: unknown): void;
}

/**
 * Recovers the work of lost workers in several passes, because the server's lists lag. The second pass handles all
 * workflows again: a task that was on its way to a worker when the worker died is started there after the first pass,
 * and would otherwise wait for the heartbeat timeout. Never rejects.
 */
export const recoverInPasses = async (passes: RecoveryPasses): Promise<void> => {
  const seenIds = new Set<string>();
  for (const [pass, pause] of PAUSES_MS.entries()) {
    if (pause > 0) await delay(pause, undefined, { ref: false });
    if (passes.closed.aborted) return;
    const known = pass === 0 ? new Set<string>() : seenIds;
    try {
      const interrupted = await passes.runExclusive(() => recoverOnce(passes.client, passes.workers, known));
      if (interrupted > 0) passes.onRecovered(interrupted);
    } catch (error) {
      if (!passes.closed.aborted) passes.onFailed(error);
    }
  }
};
