import { Context } from '@temporalio/activity';
import type { TurnRef } from '../src/contracts/payload/turn-activities.ts';
import { turnSuperseded } from './failures.ts';
import { whileTemporalRestarts, type AskTemporal } from './temporal-patience.ts';

/** Activities heartbeat three times per timeout; the SDK throttles what it sends. */
const HEARTBEATS_PER_TIMEOUT = 3;
const DEFAULT_HEARTBEAT_TIMEOUT_MS = 10_000;

/** Throws `turn_superseded` unless the activity belongs to its workflow's first run: a reset run may not act. */
export const assertFirstRun = (ref: Pick<TurnRef, 'firstExecutionRunId'>): void => {
  const runId = Context.current().info.workflowExecution?.runId;
  if (runId !== ref.firstExecutionRunId) throw turnSuperseded('the workflow was reset');
};

/** Shutdown, pause or reset, not a user's cancel: an AbortError would be taken for one and refused. */
export const isInterrupted = (): boolean => {
  const { cancellationSignal, cancellationDetails } = Context.current();
  return cancellationSignal.aborted && cancellationDetails?.cancelRequested !== true;
};

export interface HeartbeatDeps {
  readonly askTemporal: AskTemporal;
}

/**
 * Heartbeats for as long as `work` runs, also while nothing streams: a lost worker is noticed, a slow model is
 * not mistaken for one. A result is held back until Temporal can take it.
 */
export const withHeartbeat = async <T>(
  { askTemporal }: HeartbeatDeps,
  details: () => unknown,
  work: () => Promise<T>,
): Promise<T> => {
  const context = Context.current();
  const timeoutMs = context.info.heartbeatTimeoutMs ?? DEFAULT_HEARTBEAT_TIMEOUT_MS;
  const timer = setInterval(() => context.heartbeat(details()), timeoutMs / HEARTBEATS_PER_TIMEOUT);
  try {
    const result = await work();
    await whileTemporalRestarts(askTemporal, context.cancellationSignal);
    return result;
  } finally {
    clearInterval(timer);
  }
};
