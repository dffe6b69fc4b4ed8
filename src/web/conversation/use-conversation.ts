import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { listMessages } from '../http/conversation-requests.ts';
import { startTurn, type NewTurnMessage } from '../http/turn-requests.ts';
import type { PageRoute } from '../route/address.ts';
import { type BranchItem, branchOf, lastTurnOf } from './branches.ts';
import { type Exchange, type HistoryItem, isExchange, type UnsentMessage } from './history.ts';
import { storeUnsentMessages, readUnsentMessages } from './unsent-messages.ts';
import {
  type LoadedConversation,
  type StateUpdate,
  withPage,
  withFollowingTurn,
  withoutTurn,
  withExchange,
} from './loaded-conversation.ts';

/** A conversation on the page, with the functions that change or read it. */
export interface ShownConversation extends LoadedConversation {
  /** The branch that is shown. Empty while the turn of the address is searched for. */
  readonly branch: readonly BranchItem[];
  readonly readEarlier: () => void;
  readonly readNewest: () => void;
  /** Repeats the read that has failed. */
  readonly readAgain: () => void;
  /** Adds a turn that began with this message. It follows `afterTurnId`, as far as is known, with its options. */
  readonly add: (begun: Pick<Exchange, 'turnId' | 'message'>, afterTurnId: string) => void;
  /** Sends a message. If `isBeside`, it begins a branch at its parent instead of following what is shown. */
  readonly send: (message: NewTurnMessage, isBeside: boolean) => void;
  /** Sends a message once more. If another turn was running, the message now follows that turn, unless `isBeside`. */
  readonly sendAgain: (unsent: UnsentMessage) => void;
  /** Removes a message that the gateway has not accepted. */
  readonly discard: (unsent: UnsentMessage) => void;
}

const NOTHING: LoadedConversation = { items: [], earlierOffset: null, failure: undefined, isRead: false };

const PAGE = 20;

/** Number of messages of a page when earlier messages are read in search of a turn. */
const SEARCH_PAGE = 100;

/** Number of messages after which the search for a turn ends. */
const MAX_SEARCHED = 2_000;

/** Returns a conversation. Reads its newest messages at once and earlier ones on request, and starts turns in it. */
export const useConversation = (route: PageRoute): ShownConversation => {
  const { projectId, conversationId, turnId } = route;
  const [state, update] = useReducer(apply, route, initialState);
  const failedOffset = useRef(0);
  const read = useCallback(
    async (offset: number, limit = PAGE): Promise<void> => {
      const result = await listMessages({ projectId, conversationId, limit, offset });
      failedOffset.current = result.ok ? 0 : offset;
      update(
        result.ok ? withPage(result.value, offset) : (before) => ({ ...before, failure: result.failure }),
      );
    },
    [projectId, conversationId],
  );
  const readNewest = useCallback((): void => void read(0), [read]);
  useEffect(readNewest, [readNewest]);
  const isSearching = useIsSearching(state, turnId, read);
  const branch = useMemo(
    () => (isSearching ? [] : branchOf(state.items, turnId)),
    [isSearching, state.items, turnId],
  );
  const readEarlier = useReadEarlier(state, branch, read);
  const sending = createSenders({ state, update, branch, readNewest });
  useStoredUnsent(route, state.items, sending.sendAgain);
  return {
    ...state,
    isRead: state.isRead && !isSearching,
    branch,
    readEarlier,
    readNewest,
    readAgain: () => void read(failedOffset.current),
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

/** Stores the unsent messages. Sends those without an answer at page load once more, which starts no second turn. */
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

interface SendingOptions extends Pick<ShownConversation, 'branch' | 'readNewest'> {
  readonly state: LoadedConversation;
  readonly update: (change: StateUpdate) => void;
}

const createSenders = ({
  state,
  update,
  branch,
  readNewest,
}: SendingOptions): Pick<ShownConversation, 'send' | 'sendAgain' | 'discard'> => {
  const send = async (message: NewTurnMessage, isBeside: boolean): Promise<boolean> => {
    const exchange = exchangeOf(message);
    update(withExchange({ ...exchange, unsent: { message, isBeside } }));
    const result = await startTurn(message);
    const refused = !result.ok && { unsent: { message, isBeside, failure: result.failure } };
    update(withExchange({ ...exchange, ...refused }));
    // The stored messages show the parent that the gateway has chosen, or the turn that is running.
    const isChosen = result.ok && message.parentTurnId === undefined && !isEmpty(state);
    if (isChosen || (!result.ok && result.failure.code === 'turn_in_progress')) readNewest();
    return result.ok;
  };
  const sendAgain = async ({ message, isBeside, failure }: UnsentMessage): Promise<void> => {
    // A refused message was not stored, so it may get another parent. A message without an answer may have been
    // accepted, and must stay the same.
    const isBehind = failure?.code === 'turn_in_progress' && !isBeside;
    const again = isBehind ? { ...message, parentTurnId: lastTurnOf(branch) } : message;
    // If an earlier try was accepted, other messages may have been sent since.
    if (await send(again, isBeside)) readNewest();
  };
  return {
    send: (message, isBeside) => void send(message, isBeside),
    sendAgain: (unsent) => void sendAgain(unsent),
    discard: ({ message }) => update(withoutTurn(message.turnId)),
  };
};

const exchangeOf = ({
  turnId,
  parentTurnId = null,
  content,
  mode,
  protocol,
  model,
}: NewTurnMessage): Exchange => ({
  kind: 'exchange',
  turnId,
  parentTurnId,
  message: content,
  options: { mode, protocol, model },
});

const isEmpty = ({ isRead, items }: LoadedConversation): boolean => isRead && items.length === 0;

type ReadMessages = (offset: number, limit?: number) => Promise<void>;

/** Reads earlier messages until a turn is among the items, or the search has to end. Returns true while it searches. */
const useIsSearching = (
  state: LoadedConversation,
  turnId: string | undefined,
  read: ReadMessages,
): boolean => {
  const { earlierOffset, isRead, failure } = state;
  const canSearch = isRead && failure === undefined && earlierOffset !== null && earlierOffset < MAX_SEARCHED;
  const isSearching = turnId !== undefined && canSearch && !hasTurn(state, turnId);
  useEffect(() => {
    if (isSearching) void read(earlierOffset, SEARCH_PAGE);
  }, [isSearching, earlierOffset, read]);
  return isSearching;
};

/** Returns a function that reads earlier messages, page by page, until the branch that is shown has more items. */
const useReadEarlier = (
  state: LoadedConversation,
  branch: readonly BranchItem[],
  read: ReadMessages,
): (() => void) => {
  const [goal, setGoal] = useState<string>();
  useIsSearching(state, goal, read);
  return () => {
    const parent = branch.find(isExchange)?.parentTurnId ?? undefined;
    setGoal(parent);
    const isFound = parent === undefined || hasTurn(state, parent);
    if (isFound || parent === goal) void read(state.earlierOffset ?? 0);
  };
};

const hasTurn = ({ items }: LoadedConversation, turnId: string): boolean =>
  items.some((item) => isExchange(item) && item.turnId === turnId);
