/* Which part of a long conversation is drawn: what is further away is a button away. All functions here are pure. */
import type { BranchItem } from './branches.ts';
import { itemName } from './history.ts';

/** Largest number of items that are drawn besides the newest: enough to read on in, few enough to lay out at once. */
export const MAX_DRAWN = 60;
/** Number of items by which the part moves: about half of a page of messages. */
export const STEP = 10;

/** Where the part begins: `before` items before one of the branch, or at the first item. */
export interface DrawnFrom {
  readonly name: string;
  readonly before: number;
}

/** The part of a branch from index `from` to before `to`. */
export interface DrawnPart {
  readonly from: number;
  readonly to: number;
}

/** Returns the part that begins at a place; the end of the branch where that is undefined or not in the branch. */
export const drawnPart = (branch: readonly BranchItem[], place: DrawnFrom | undefined): DrawnPart => {
  const at = place === undefined ? -1 : branch.findIndex((item) => itemName(item) === place.name);
  const last = Math.max(0, branch.length - MAX_DRAWN);
  const from = at < 0 || place === undefined ? last : Math.max(0, at - place.before);
  return { from, to: Math.min(branch.length, from + MAX_DRAWN) };
};

/** Returns the place from which earlier items are drawn, too; undefined where there are none. */
export const earlierPlace = (branch: readonly BranchItem[], { from }: DrawnPart): DrawnFrom | undefined => {
  const first = branch[from];
  return first && { name: itemName(first), before: STEP };
};

/** Returns the place from which later items are drawn, too; undefined: the end of the branch. */
export const laterPlace = (branch: readonly BranchItem[], { from }: DrawnPart): DrawnFrom | undefined => {
  const first = from + STEP + MAX_DRAWN >= branch.length ? undefined : branch[from + STEP];
  return first && { name: itemName(first), before: 0 };
};

/**
 * Returns the place at which a turn is drawn with what was said before it; undefined where the end of the branch
 * includes it.
 */
export const placeOfTurn = (
  branch: readonly BranchItem[],
  turnId: string | undefined,
): DrawnFrom | undefined => {
  const at = branch.findIndex((item) => item.kind === 'exchange' && item.turnId === turnId);
  return turnId === undefined || at < 0 || at >= branch.length - MAX_DRAWN
    ? undefined
    : { name: turnId, before: STEP };
};
