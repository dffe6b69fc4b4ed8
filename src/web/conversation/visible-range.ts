/* The part of a long conversation that is rendered; buttons move it. All functions here are pure. */
import type { BranchItem } from './branches.ts';
import { itemKey } from './history.ts';

/**
 * Largest number of items that are rendered besides the newest: enough to read on in, few enough to lay out at once.
 */
export const MAX_VISIBLE_ITEMS = 60;
/** Number of items by which the range moves: about half of a page of messages. */
export const RANGE_STEP = 10;

/** Where the range begins: `before` items before the item `name`, or at the first item. */
export interface RangeStart {
  readonly name: string;
  readonly before: number;
}

/** The items of a branch from index `from` to before `to`. */
export interface VisibleRange {
  readonly from: number;
  readonly to: number;
}

/** Returns the range that begins at `start`; the end of the branch where that is undefined or not in the branch. */
export const visibleRangeFrom = (
  branch: readonly BranchItem[],
  start: RangeStart | undefined,
): VisibleRange => {
  const at = start === undefined ? -1 : branch.findIndex((item) => itemKey(item) === start.name);
  const last = Math.max(0, branch.length - MAX_VISIBLE_ITEMS);
  const from = at < 0 || start === undefined ? last : Math.max(0, at - start.before);
  return { from, to: Math.min(branch.length, from + MAX_VISIBLE_ITEMS) };
};

/** Returns the start of the range that also has earlier items, or undefined if there are none. */
export const earlierStart = (
  branch: readonly BranchItem[],
  { from }: VisibleRange,
): RangeStart | undefined => {
  const first = branch[from];
  return first && { name: itemKey(first), before: RANGE_STEP };
};

/** Returns the start of the range that also has later items. Undefined means the end of the branch. */
export const laterStart = (branch: readonly BranchItem[], { from }: VisibleRange): RangeStart | undefined => {
  const first =
    from + RANGE_STEP + MAX_VISIBLE_ITEMS >= branch.length ? undefined : branch[from + RANGE_STEP];
  return first && { name: itemKey(first), before: 0 };
};

/**
 * Returns the start of the range that has a turn and the items before it. Undefined if the end of the branch includes
 * it.
 */
export const rangeStartOfTurn = (
  branch: readonly BranchItem[],
  turnId: string | undefined,
): RangeStart | undefined => {
  const at = branch.findIndex((item) => item.kind === 'exchange' && item.turnId === turnId);
  return turnId === undefined || at < 0 || at >= branch.length - MAX_VISIBLE_ITEMS
    ? undefined
    : { name: turnId, before: RANGE_STEP };
};
