import type { TurnInput } from '../contracts/payload/turn-workflow.ts';

/** A dead worker's task goes to another one after this (docs/decisions/README.md). */
const LEAST_MS = 2_000;
/** Replay of one cycle whose tool result is as large as may be, on a busy machine: four times the measured 50 ms. */
const CYCLE_MS = 200;
/** One answer may run dozens of tools. */
const STANDARD_MS = 5_000;

/**
 * Milliseconds for one workflow task of a turn. After the loss of a worker the task replays the whole turn, and one
 * that does not fit is tried again for ever: the turn would never end.
 */
export const workflowTaskTimeoutMs = ({
  protocol,
  budgets,
}: Pick<TurnInput, 'protocol' | 'budgets'>): number =>
  protocol === 'standard' ? STANDARD_MS : Math.max(LEAST_MS, budgets.maxPhaseCycles * CYCLE_MS);
