/* The part of a long conversation that is rendered. Buttons move it. All functions here are pure. */
import type { BranchItem } from './branches.ts';
import { itemKey } from './history.ts';

/**
 * Largest number of items that are rendered, besides the last turn and unsent messages: enough to read on, and few
 * enough to lay out at once.
 */
export const MAX_VISIBLE_ITEMS = 60;
/**
 * Number of items by which the range moves, about as many as a page of 20 messages has, since a user's message and its
 * answer are one item.
 */
export const RANGE_STEP = 10;

/**
 * The beginning of a range: `before` items before the item with the key `itemKey`, or the first item if there are
 * fewer.
 */
export interface RangeStart {
  readonly itemKey: string;
  readonly before: number;
}

/** The items of a branch from index `from`, inclusive, to `to`, exclusive. */
export interface VisibleRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the range that begins at `start`. If `start` is undefined or not in the branch, it is the range at the end of
 * the branch.
 */
export const visibleRangeFrom = (
  branch: readonly BranchItem[],
  start: RangeStart | undefined,
): VisibleRange => {
  const index = start === undefined ? -1 : branch.findIndex((item) => itemKey(item) === start.itemKey);
  const last = Math.max(0, branch.length - MAX_VISIBLE_ITEMS);
  const from = index < 0 || start === undefined ? last : Math.max(0, index - start.before);
  return { from, to: Math.min(branch.length, from + MAX_VISIBLE_ITEMS) };
};

/** Returns the start of a range moved to earlier items. Returns undefined if the branch is empty. */
export const earlierStart = (
  branch: readonly BranchItem[],
  { from }: VisibleRange,
): RangeStart | undefined => {
  const first = branch[from];
  return first && { itemKey: itemKey(first), before: RANGE_STEP };
};

/** Returns the start of a range moved to later items. Undefined means the end of the branch. */
export const laterStart = (branch: readonly BranchItem[], { from }: VisibleRange): RangeStart | undefined => {
  const first =
    from + RANGE_STEP + MAX_VISIBLE_ITEMS >= branch.length ? undefined : branch[from + RANGE_STEP];
  return first && { itemKey: itemKey(first), before: 0 };
};

/**
 * Returns the start of a range with a turn and some items before it. Returns undefined if the range at the end of the
 * branch includes the turn, or if the branch does not.
 */
export const rangeStartOfTurn = (
  branch: readonly BranchItem[],
  turnId: string | undefined,
): RangeStart | undefined => {
  const index = branch.findIndex((item) => item.kind === 'exchange' && item.turnId === turnId);
  return turnId === undefined || index < 0 || index >= branch.length - MAX_VISIBLE_ITEMS
    ? undefined
    : { itemKey: turnId, before: RANGE_STEP };
};
