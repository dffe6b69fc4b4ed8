import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';

/** Number of heartbeats within one heartbeat timeout. The SDK throttles them, so it sends fewer. */
const HEARTBEATS_PER_TIMEOUT = 3;
/** Heartbeat timeout in milliseconds that is assumed for an activity that has none. */
const DEFAULT_HEARTBEAT_TIMEOUT_MS = 10_000;
/** Milliseconds that Temporal may take to answer a ping. */
const PING_TIMEOUT_MS = 1_000;
/** Milliseconds between a ping that failed and the next one. */
const PAUSE_MS = 250;

/** Resolves when Temporal has answered. Rejects when it has not answered in time, or the request has failed. */
export type PingTemporal = () => Promise<void>;

export interface HeartbeatDeps {
  readonly pingTemporal: PingTemporal;
}

/**
 * Runs `work` and returns its result. Meanwhile it sends heartbeats with the result of `details`, so that Temporal
 * notices a lost worker but does not mistake slow work for one. It holds the result back until Temporal answers or the
 * activity is cancelled. Rejects with whatever `work` rejects with.
 */
export const withHeartbeat = async <T>(
  { pingTemporal }: HeartbeatDeps,
  details: () => unknown,
  work: () => Promise<T>,
): Promise<T> => {
  const context = Context.current();
  const timeoutMs = context.info.heartbeatTimeoutMs ?? DEFAULT_HEARTBEAT_TIMEOUT_MS;
  const timer = setInterval(() => context.heartbeat(details()), timeoutMs / HEARTBEATS_PER_TIMEOUT);
  try {
    const result = await work();
    await untilTemporalAnswers(pingTemporal, context.cancellationSignal);
    return result;
  } finally {
    clearInterval(timer);
  }
};

/**
 * Creates a function that sends Temporal its cheapest request, which touches no store and is not billed. It rejects
 * when there is no answer within a second, and for every other error of the request.
 */
export const createPingTemporal =
  (client: Client): PingTemporal =>
  async () => {
    await client.withDeadline(Date.now() + PING_TIMEOUT_MS, () => client.workflowService.getSystemInfo({}));
  };

/**
 * Resolves when Temporal answers, or when `signal` is aborted. The SDK tries for 10 s to report the result of an
 * activity, and then drops the result silently. In a longer outage the answer of a model, for example, would be lost,
 * and the model would be called again after the heartbeat timeout.
 */
const untilTemporalAnswers = async (ping: PingTemporal, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    try {
      return await ping();
    } catch {
      await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
};
