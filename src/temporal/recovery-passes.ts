import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { RunExclusive } from '../base/timing/run-exclusive.ts';
import { type LostWorkers, recoverLostWork } from './lost-workers.ts';

const PASS_TIMEOUT_MS = 10_000;
/**
 * Milliseconds before each pass over the work of a dead worker: the list by which that is found is half a second
 * behind, more under load.
 */
const PAUSES_MS = [0, 300, 400, 1_800];

/** Makes one pass that ends, whatever the server does. Rejects as `recoverLostWork`. */
export const recoverOnce = (client: Client, workers: LostWorkers, seen: Set<string>): Promise<number> =>
  client.withDeadline(Date.now() + PASS_TIMEOUT_MS, () => recoverLostWork(workers, client, seen));

/** Workers whose work is recovered, and the callbacks that are notified. */
export interface RecoveryPasses {
  readonly client: Client;
  /**
   * The lock is shared by all that may find the same workers lost. An activity is failed by its name, so that of two
   * passes at once the second would fail the attempt that the first has caused.
   */
  readonly runExclusive: RunExclusive;
  readonly workers: LostWorkers;
  /** No further pass begins once this is aborted. */
  readonly closed: AbortSignal;
  /** Called with the number of activities that a pass found, if any. */
  onRecovered(activities: number): void;
  /** Called when a pass failed; missed heartbeats tell Temporal the same, later. */
  onFailed(error: unknown): void;
}

/**
 * Recovers the work of lost workers, in as many passes as the server's lists may lag. The second pass also looks at all
 * that the first has seen. A task that was on its way to the worker when it died starts there after the first look, and
 * would otherwise wait for the heartbeat timeout.
 */
export const recoverInPasses = async (passes: RecoveryPasses): Promise<void> => {
  const seen = new Set<string>();
  for (const [pass, pause] of PAUSES_MS.entries()) {
    if (pause > 0) await delay(pause, undefined, { ref: false });
    if (passes.closed.aborted) return;
    const known = pass === 0 ? new Set<string>() : seen;
    try {
      const lost = await passes.runExclusive(() => recoverOnce(passes.client, passes.workers, known));
      if (lost > 0) passes.onRecovered(lost);
    } catch (error) {
      if (!passes.closed.aborted) passes.onFailed(error);
    }
  }
};
