import { Context } from '@temporalio/activity';
import type { TurnRef } from '../src/contracts/model-call.ts';
import { turnSuperseded } from './failures.ts';

/** Activities heartbeat three times per timeout; the SDK throttles what it sends. */
const HEARTBEATS_PER_TIMEOUT = 3;
const DEFAULT_HEARTBEAT_TIMEOUT_MS = 10_000;

/** Throws `turn_superseded` unless the activity belongs to the turn's first run: a reset run may not act. */
export const assertFirstRun = (ref: TurnRef): void => {
  const runId = Context.current().info.workflowExecution?.runId;
  if (runId !== ref.firstExecutionRunId) throw turnSuperseded('the workflow was reset');
};

/**
 * Heartbeats for as long as `work` runs, also while nothing streams: a lost worker is noticed, a slow model is
 * not mistaken for one.
 */
export const withHeartbeat = async <T>(details: () => unknown, work: () => Promise<T>): Promise<T> => {
  const context = Context.current();
  const timeoutMs = context.info.heartbeatTimeoutMs ?? DEFAULT_HEARTBEAT_TIMEOUT_MS;
  const timer = setInterval(() => context.heartbeat(details()), timeoutMs / HEARTBEATS_PER_TIMEOUT);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
};
