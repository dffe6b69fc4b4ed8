import { useCallback, useEffect, useMemo, useReducer, useRef } from 'react';
import { listMessages } from '../http/conversation-requests.ts';
import type { PageRoute } from '../route/address.ts';
import { type BranchItem, branchOf } from './branches.ts';
import { type Exchange, type HistoryItem, isExchange, type UnsentMessage } from './history.ts';
import { storeUnsentMessages, readUnsentMessages } from './unsent-messages.ts';
import {
  type LoadedConversation,
  type StateUpdate,
  withPage,
  withFollowingTurn,
} from './loaded-conversation.ts';
import { createSenders, exchangeOf, type MessageSenders } from './message-senders.ts';
import { useIsSearching, useReadEarlier } from './use-earlier-messages.ts';

/** A conversation on the page, with the functions that change or read it. */
export interface ShownConversation extends LoadedConversation, MessageSenders {
  /** The branch that is shown. Empty while the turn of the address is searched for. */
  readonly branch: readonly BranchItem[];
  readonly readEarlier: () => void;
  readonly readNewest: () => void;
  /** Repeats the read that has failed. */
  readonly readAgain: () => void;
  /** Adds a turn that began with this message. It follows `afterTurnId`, as far as is known, with its options. */
  readonly add: (begun: Pick<Exchange, 'turnId' | 'message'>, afterTurnId: string) => void;
}

const NOTHING: LoadedConversation = { items: [], earlierOffset: null, failure: undefined, isRead: false };

const PAGE_SIZE = 20;

/** Returns a conversation. Reads its newest messages at once and earlier ones on request, and starts turns in it. */
export const useConversation = (route: PageRoute): ShownConversation => {
  const { projectId, conversationId, turnId } = route;
  const [state, update] = useReducer(apply, route, initialState);
  const failedOffset = useRef(0);
  const readPage = useCallback(
    async (offset: number, limit = PAGE_SIZE): Promise<void> => {
      const result = await listMessages({ projectId, conversationId, limit, offset });
      failedOffset.current = result.ok ? 0 : offset;
      update(
        result.ok ? withPage(result.value, offset) : (before) => ({ ...before, failure: result.failure }),
      );
    },
    [projectId, conversationId],
  );
  const readNewest = useCallback((): void => void readPage(0), [readPage]);
  useEffect(readNewest, [readNewest]);
  const isSearching = useIsSearching(state, turnId, readPage);
  const branch = useMemo(
    () => (isSearching ? [] : branchOf(state.items, turnId)),
    [isSearching, state.items, turnId],
  );
  const readEarlier = useReadEarlier(state, branch, readPage);
  const sending = createSenders({ state, update, branch, readNewest });
  useStoredUnsent(route, state.items, sending.sendAgain);
  return {
    ...state,
    isRead: state.isRead && !isSearching,
    branch,
    readEarlier,
    readNewest,
    readAgain: () => void readPage(failedOffset.current),
    add: (begun, afterTurnId) => update(withFollowingTurn(begun, afterTurnId)),
    ...sending,
  };
};

const apply = (state: LoadedConversation, change: StateUpdate): LoadedConversation => change(state);

/** Returns the state before anything is read: the unsent messages that this tab has stored. */
const initialState = (route: PageRoute): LoadedConversation => {
  const stored = readUnsentMessages(route, sessionStorage);
  const items = stored.map((unsent) => ({ ...exchangeOf(unsent.message), unsent, isNew: true }));
  return { ...NOTHING, items };
};

/**
 * Stores the unsent messages. Those that had no response when the page was loaded are sent once more, which starts no
 * second turn.
 */
const useStoredUnsent = (
  { projectId, conversationId }: PageRoute,
  items: readonly HistoryItem[],
  sendAgain: (unsent: UnsentMessage) => void,
): void => {
  const unsent = useMemo(
    () => items.flatMap((item) => (isExchange(item) ? (item.unsent ?? []) : [])),
    [items],
  );
  useEffect(
    () => storeUnsentMessages({ projectId, conversationId }, unsent, sessionStorage),
    [projectId, conversationId, unsent],
  );
  const unanswered = useRef(unsent.filter(({ failure }) => failure === undefined));
  useEffect(() => unanswered.current.splice(0).forEach(sendAgain), [sendAgain]);
};
