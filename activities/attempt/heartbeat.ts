import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { TurnActivityInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { turnSuperseded } from './activity-failures.ts';

/** Activities heartbeat three times per timeout; the SDK throttles what it sends. */
const HEARTBEATS_PER_TIMEOUT = 3;
const DEFAULT_HEARTBEAT_TIMEOUT_MS = 10_000;
const ANSWER_MS = 1_000;
const PAUSE_MS = 250;

/** Throws `turn_superseded` unless the activity belongs to its workflow's first run: a reset run may not act. */
export const assertFirstRun = (ref: Pick<TurnActivityInput, 'firstExecutionRunId'>): void => {
  const runId = Context.current().info.workflowExecution?.runId;
  if (runId !== ref.firstExecutionRunId) throw turnSuperseded('the workflow was reset');
};

/**
 * Tells if a shutdown, a pause or a reset has interrupted the activity, and not a user's cancel: an AbortError would be
 * taken for one and refused.
 */
export const isInterrupted = (): boolean => {
  const { cancellationSignal, cancellationDetails } = Context.current();
  return cancellationSignal.aborted && cancellationDetails?.cancelRequested !== true;
};

/** Resolves when Temporal answers; throws while it does not. */
export type PingTemporal = () => Promise<void>;

export interface HeartbeatDeps {
  readonly pingTemporal: PingTemporal;
}

/**
 * Heartbeats for as long as `work` runs, also while nothing streams: a lost worker is noticed, a slow model is
 * not mistaken for one. A result is held back until Temporal can take it.
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
    await whileTemporalRestarts(pingTemporal, context.cancellationSignal);
    return result;
  } finally {
    clearInterval(timer);
  }
};

/** Creates a function that sends Temporal the cheapest request there is: it touches no store and is not billed. */
export const createPingTemporal =
  (client: Client): PingTemporal =>
  async () => {
    await client.withDeadline(Date.now() + ANSWER_MS, () => client.workflowService.getSystemInfo({}));
  };

/**
 * Resolves when Temporal answers, or when `signal` is aborted. The SDK reports the result of an activity for 10 s and
 * then drops it silently. An answer that ended in a longer outage would be lost, and after the heartbeat timeout the
 * model would be called again.
 */
const whileTemporalRestarts = async (ask: PingTemporal, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    try {
      return await ask();
    } catch {
      await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
};
