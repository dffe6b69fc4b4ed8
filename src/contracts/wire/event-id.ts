/**
 * Id of a stored event. Later writers have larger epochs, and no two writers of a stored list share one. Comparing
 * epochs, then seqs, therefore gives the order of the list without a clock (docs/events.md).
 */
export interface EventId {
  readonly epoch: number;
  readonly seq: number;
}

/** Number of epochs that each step has: from 1 on for its attempts, and `WORKFLOW_SLOT` for the workflow. */
const EPOCHS_PER_STEP = 100;
const WORKFLOW_SLOT = 99;
/** Largest number of attempts of a step: each has an epoch of its own, below the one of the workflow. */
export const MAX_STEP_ATTEMPTS = WORKFLOW_SLOT - 1;

/** The epoch of a process that closes a turn without the workflow's list. It is above the epochs of all steps. */
export const OUTSIDE_EPOCH = 999_999;

/** Reads `<epoch>-<seq>`. Returns undefined for any other text. Never throws: ids come from clients. */
export const parseEventId = (text: string): EventId | undefined => {
  const match = /^(\d{1,9})-(\d{1,9})$/.exec(text);
  return match ? { epoch: Number(match[1]), seq: Number(match[2]) } : undefined;
};

/** Returns the id as clients see it, `<epoch>-<seq>`; `parseEventId` reads it. */
export const formatEventId = (id: EventId): string => `${id.epoch}-${id.seq}`;

/** Compares two ids by epoch, then by seq: negative, zero or positive, for `sort`. */
export const compareEventIds = (a: EventId, b: EventId): number => a.epoch - b.epoch || a.seq - b.seq;

/** Returns the epoch of the n-th claim (1 to `MAX_STEP_ATTEMPTS`) of model call `step` (1, 2, …). */
export const attemptEpoch = (step: number, n: number): number => EPOCHS_PER_STEP * step + n;

/** Returns the epoch of the workflow's own events after model call `step`. Step 0 means before the first call. */
export const workflowEpoch = (step: number): number =>
  step === 0 ? 0 : EPOCHS_PER_STEP * step + WORKFLOW_SLOT;
