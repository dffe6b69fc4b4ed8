import { ActivityCancellationType, type ActivityOptions } from '@temporalio/workflow';
import { DEFAULT_TOOL_TIMEOUT_MS } from '../../src/contracts/tools/tool-call.ts';

/**
 * Milliseconds that timeouts allow beyond the time of the work itself, for example to claim the epoch and to store the
 * segment of a model call, or to survive one lost worker.
 */
const SLACK_MS = 15_000;
/**
 * Retries of activities in which only infrastructure fails. The first comes almost at once. Later ones are at most 2 s
 * apart, so that a server which has come back is soon found.
 */
const QUICK_RETRY = { initialInterval: 100, backoffCoefficient: 2, maximumInterval: 2_000 };

/**
 * The timeout of a proxy whose calls all set `startToCloseTimeout`, which replaces it. The SDK requires a timeout when
 * a proxy is created. It merges the options of a call into those of the proxy, so any other option here would hold for
 * all calls that do not set it.
 */
export const START_TO_CLOSE_SET_PER_CALL: ActivityOptions = { startToCloseTimeout: '1 minute' };
/**
 * The timeout of a proxy whose calls all set `scheduleToCloseTimeout`, which replaces it. The SDK merges the options of
 * a call into those of its proxy.
 */
export const SCHEDULE_TO_CLOSE_SET_PER_CALL: ActivityOptions = { scheduleToCloseTimeout: '1 hour' };

/**
 * Returns the options of `callModel`. Up to 20 attempts are made while the turn has time (`remainingMs`), because lost
 * workers and deploys are not the model's fault. The activity itself counts the provider's errors, and gives up at the
 * third.
 */
export const callModelOptions = (
  summary: string,
  remainingMs: number,
  heartbeatTimeoutMs: number,
): ActivityOptions => ({
  summary,
  scheduleToCloseTimeout: Math.max(remainingMs, 0) + SLACK_MS,
  heartbeatTimeout: heartbeatTimeoutMs,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: 200, backoffCoefficient: 2, maximumInterval: 5_000, maximumAttempts: 20 },
});

/**
 * Returns the options of a tool execution. Temporal's retries replace only attempts that were lost or interrupted,
 * because the tool runner repeats failed calls itself, and the ledger decides whether a lost call may run again.
 * `longestMs` is the time that the tool declares.
 */
export const executeToolOptions = (
  summary: string,
  heartbeatTimeoutMs: number,
  longestMs = DEFAULT_TOOL_TIMEOUT_MS,
): ActivityOptions => ({
  summary,
  startToCloseTimeout: longestMs + SLACK_MS,
  heartbeatTimeout: heartbeatTimeoutMs,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { ...QUICK_RETRY, maximumAttempts: 5 },
});

/**
 * Returns the options of the activity that ends a content phase. Storing 800 KB takes milliseconds. The rest of the
 * time is for the commit, which waits for another workflow. A repeat changes nothing.
 */
export const keepWriteSessionOptions = (summary: string, heartbeatTimeoutMs: number): ActivityOptions => ({
  summary,
  startToCloseTimeout: 60_000,
  scheduleToCloseTimeout: 180_000,
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: QUICK_RETRY,
});

/** The options of `closeTurn`. Its retries have no limit of their own, because every turn must be closed. */
export const CLOSE_TURN_OPTIONS: ActivityOptions = {
  summary: 'close turn',
  startToCloseTimeout: 5_000,
  retry: QUICK_RETRY,
};

/**
 * The options of `commitWrite`. Only a cancel of the session ends its retries, because a failure that a retry cannot
 * fix is returned as an outcome. Hashing and syncing 10 MB takes well under a second, but a slow disk may need the
 * whole minute.
 */
export const COMMIT_WRITE_OPTIONS: ActivityOptions = {
  summary: 'commit write',
  startToCloseTimeout: 60_000,
  heartbeatTimeout: 10_000,
  retry: QUICK_RETRY,
};

/**
 * The options of the close of a write session, which is retried like `closeTurn`. It may take as long as the close of a
 * turn, and as long again to remove files.
 */
export const CLOSE_WRITE_SESSION_OPTIONS: ActivityOptions = {
  summary: 'close write session',
  startToCloseTimeout: 10_000,
  retry: QUICK_RETRY,
};

/**
 * Returns the options of `prepareInput`, which checks, hashes and stores a row, and of `announceInput`. Both are
 * retried until `SLACK_MS` after the end of the turn's time, because nobody can reply to a request that is not stored.
 */
export const inputRequestOptions = (summary: string, remainingMs: number): ActivityOptions => ({
  summary,
  startToCloseTimeout: 15_000,
  scheduleToCloseTimeout: Math.max(remainingMs, 0) + SLACK_MS,
  retry: QUICK_RETRY,
});

/** The options of the check of changed arguments. Its times are short, because a person waits for the result. */
export const CHECK_INPUT_OPTIONS: ActivityOptions = {
  summary: 'check changed arguments',
  startToCloseTimeout: 5_000,
  scheduleToCloseTimeout: 15_000,
  retry: { ...QUICK_RETRY, maximumInterval: 1_000 },
};
