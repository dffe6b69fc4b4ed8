import { ActivityCancellationType, type ActivityOptions } from '@temporalio/workflow';

/** Time beyond a call's own deadline, to claim the epoch, store the segment, and survive one lost worker. */
const SLACK_MS = 15_000;
/** Time for one execution, and to store its result. */
const MAX_TOOL_MS = 30_000;
/** Only infrastructure fails here. The first repeat comes at once, and later ones find what comes back within 2 s. */
const QUICK_RETRY = { initialInterval: 100, backoffCoefficient: 2, maximumInterval: 2_000 };

/**
 * The timeout of a proxy whose calls all set `startToCloseTimeout`, which replaces it. The SDK requires a timeout where
 * a proxy is made. It merges the options of a call into it, so an option that a call does not set would count.
 */
export const START_TO_CLOSE_SET_PER_CALL: ActivityOptions = { startToCloseTimeout: '1 minute' };
/**
 * The timeout of a proxy whose calls all set `scheduleToCloseTimeout`, which replaces it. The SDK merges the options of
 * a call into those of its proxy.
 */
export const SCHEDULE_TO_CLOSE_SET_PER_CALL: ActivityOptions = { scheduleToCloseTimeout: '1 hour' };

/**
 * Allows up to 20 attempts inside the turn's time: lost workers and deploys are not the model's fault. The activity
 * itself counts provider errors, and stops at three.
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
 * Returns the options of a tool execution. Temporal's retries only recover lost workers: the tool runner retries by
 * itself, and the ledger stops second writes.
 */
export const executeToolOptions = (
  summary: string,
  heartbeatTimeoutMs: number,
  longestMs = MAX_TOOL_MS,
): ActivityOptions => ({
  summary,
  startToCloseTimeout: longestMs + SLACK_MS,
  heartbeatTimeout: heartbeatTimeoutMs,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { ...QUICK_RETRY, maximumAttempts: 5 },
});

/**
 * Returns the options of the activity that ends a content phase. Storing 800 KB takes milliseconds: only infrastructure
 * can fail here, and a repeat changes nothing.
 */
export const keepWriteSessionOptions = (summary: string, heartbeatTimeoutMs: number): ActivityOptions => ({
  summary,
  startToCloseTimeout: 60_000,
  scheduleToCloseTimeout: 180_000,
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: QUICK_RETRY,
});

/** A turn must be closed, whatever it takes: retried for ever. */
export const closeTurnOptions: ActivityOptions = {
  summary: 'close turn',
  startToCloseTimeout: 5_000,
  retry: QUICK_RETRY,
};

/**
 * Retried for ever, like the close. Only infrastructure can fail here, and a cancel of the session ends the retries. 10
 * MB are hashed and synced in well under a second, but a slow disk may take its time.
 */
export const commitWriteOptions: ActivityOptions = {
  summary: 'commit write',
  startToCloseTimeout: 60_000,
  heartbeatTimeout: 10_000,
  retry: QUICK_RETRY,
};

/**
 * The options of the close of a write session. It may take as long as that of a turn, and the time to remove a file.
 */
export const closeWriteSessionOptions: ActivityOptions = {
  summary: 'close write session',
  startToCloseTimeout: 10_000,
  retry: QUICK_RETRY,
};

/**
 * Returns the options of `prepareInput`, which checks, hashes and stores a row, and of `announceInput`. Both are tried
 * for as long as the turn has time: nobody can reply to a request that is not stored.
 */
export const inputRequestOptions = (summary: string, remainingMs: number): ActivityOptions => ({
  summary,
  startToCloseTimeout: 15_000,
  scheduleToCloseTimeout: Math.max(remainingMs, 0) + SLACK_MS,
  retry: QUICK_RETRY,
});

/** The options of a check of changed arguments: short, since somebody waits for the answer. */
export const checkInputOptions: ActivityOptions = {
  summary: 'check changed arguments',
  startToCloseTimeout: 5_000,
  scheduleToCloseTimeout: 15_000,
  retry: { ...QUICK_RETRY, maximumInterval: 1_000 },
};
