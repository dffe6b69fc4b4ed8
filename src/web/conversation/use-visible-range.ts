import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type BranchItem, lastTurnOf } from './branches.ts';
import {
  type RangeStart,
  type VisibleRange,
  visibleRangeFrom,
  earlierStart,
  laterStart,
  rangeStartOfTurn,
  RANGE_STEP,
} from './visible-range.ts';
import { itemKey } from './history.ts';
import type { ShownConversation } from './use-conversation.ts';

/**
 * Returns the visible range, with functions that move it to earlier and later items. A function is undefined if there
 * are no such items.
 */
export const useVisibleRange = (
  { branch, earlierOffset, readEarlier }: ShownConversation,
  addressed: string | undefined,
): VisibleRange & {
  readonly earlier: (() => void) | undefined;
  readonly later: (() => void) | undefined;
} => {
  const [movedTo, setMovedTo] = useState<{
    readonly by: string | undefined;
    readonly to: RangeStart | undefined;
  }>();
  const addressedStart = rangeStartOfTurn(branch, addressed);
  // A move counts only for the address at which it was made: a person who sends a message, or opens the address of
  // another turn, sees that turn.
  const range = visibleRangeFrom(branch, movedTo && movedTo.by === addressed ? movedTo.to : addressedStart);
  useScrollToTurn(branch, addressed);
  useLayoutEffect(() => {
    // The button that was pressed may have disappeared with the branch that was shown.
    if (addressed !== undefined && document.activeElement === document.body) {
      document.getElementById(addressed)?.focus({ preventScroll: true });
    }
  }, [addressed]);
  const move = (to: RangeStart | undefined): void => setMovedTo({ by: addressed, to });
  const earlier = (): void => {
    move(earlierStart(branch, range));
    if (range.from < RANGE_STEP && earlierOffset !== null) readEarlier();
  };
  return {
    ...range,
    earlier: range.from > 0 || earlierOffset !== null ? earlier : undefined,
    later: range.to < branch.length ? () => move(laterStart(branch, range)) : undefined,
  };
};

/**
 * Scrolls once to the turn that the address names, unless it is the last one, because a conversation opens at its end.
 */
const useScrollToTurn = (branch: readonly BranchItem[], addressed: string | undefined): void => {
  const shownTurnId = useRef<string>(undefined);
  const isThere = branch.some((item) => itemKey(item) === addressed);
  const isLast = lastTurnOf(branch) === addressed;
  useEffect(() => {
    if (addressed === undefined || !isThere || shownTurnId.current === addressed) return;
    shownTurnId.current = addressed;
    if (!isLast) document.getElementById(addressed)?.scrollIntoView();
  }, [addressed, isThere, isLast]);
};
