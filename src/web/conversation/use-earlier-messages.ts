import { useEffect, useState } from 'react';
import type { BranchItem } from './branches.ts';
import { isExchange } from './history.ts';
import type { LoadedConversation } from './loaded-conversation.ts';

/** Number of messages of a page when earlier messages are read in search of a turn. */
const SEARCH_PAGE_SIZE = 100;

/** Number of messages after which the search for a turn ends. */
const MAX_SEARCHED = 2_000;

type ReadMessages = (offset: number, limit?: number) => Promise<void>;

/** Reads earlier messages until a turn is among the items, or the search has to end. Returns true while it searches. */
export const useIsSearching = (
  state: LoadedConversation,
  turnId: string | undefined,
  readMessages: ReadMessages,
): boolean => {
  const { earlierOffset, isRead, failure } = state;
  const canSearch = isRead && failure === undefined && earlierOffset !== null && earlierOffset < MAX_SEARCHED;
  const isSearching = turnId !== undefined && canSearch && !hasTurn(state, turnId);
  useEffect(() => {
    if (isSearching) void readMessages(earlierOffset, SEARCH_PAGE_SIZE);
  }, [isSearching, earlierOffset, readMessages]);
  return isSearching;
};

/** Returns a function that reads earlier messages, page by page, until the branch that is shown has more items. */
export const useReadEarlier = (
  state: LoadedConversation,
  branch: readonly BranchItem[],
  readMessages: ReadMessages,
): (() => void) => {
  const [goal, setGoal] = useState<string>();
  useIsSearching(state, goal, readMessages);
  return () => {
    const parent = branch.find(isExchange)?.parentTurnId ?? undefined;
    setGoal(parent);
    const isFound = parent === undefined || hasTurn(state, parent);
    if (isFound || parent === goal) void readMessages(state.earlierOffset ?? 0);
  };
};

const hasTurn = ({ items }: LoadedConversation, turnId: string): boolean =>
  items.some((item) => isExchange(item) && item.turnId === turnId);
