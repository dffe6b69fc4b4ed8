import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';

/** Resolves when Temporal answers; throws while it does not. */
export type AskTemporal = () => Promise<void>;

const ANSWER_MS = 1_000;
const PAUSE_MS = 250;

/** The cheapest question there is: it touches no store and is not billed. */
export const createAskTemporal =
  (client: Client): AskTemporal =>
  async () => {
    await client.withDeadline(Date.now() + ANSWER_MS, () => client.workflowService.getSystemInfo({}));
  };

/**
 * Resolves when Temporal answers, or when `signal` is aborted. The SDK reports the result of an activity for 10 s
 * and then drops it without a word: an answer that ended in a longer outage would be lost, and after the heartbeat
 * timeout the model would be called again.
 */
export const whileTemporalRestarts = async (ask: AskTemporal, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    try {
      return await ask();
    } catch {
      await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
};
