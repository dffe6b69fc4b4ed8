import { useEffect, useReducer } from 'react';
import { listMessages, startTurn, type Failure, type AskedTurn } from '../server/requests.ts';
import type { Place } from './address.ts';
import { type Exchange, type HistoryItem, itemsOf, withEarlier, withNewest } from './history.ts';

interface ConversationState {
  readonly items: readonly HistoryItem[];
  /** Where the messages before these begin; null: these are all. */
  readonly earlierAt: number | null;
  readonly failure: Failure | undefined;
  readonly isRead: boolean;
}

/** A conversation on the page, and what can be done with it. */
export interface ShownConversation extends ConversationState {
  readonly readEarlier: () => void;
  readonly readNewest: () => void;
  /** A turn that has begun with this question. */
  readonly add: (turnId: string, question: string) => void;
  readonly send: (message: AskedTurn) => void;
}

const NOTHING: ConversationState = { items: [], earlierAt: null, failure: undefined, isRead: false };
const PAGE = 20;

type Change = (state: ConversationState) => ConversationState;
const apply = (state: ConversationState, change: Change): ConversationState => change(state);

/** Reads the newest messages of a conversation, earlier ones when asked, and starts turns in it. */
export const useConversation = ({ projectId, conversationId }: Place): ShownConversation => {
  const [state, change] = useReducer(apply, NOTHING);
  const read = async (offset: number): Promise<void> => {
    const answer = await listMessages({ projectId, conversationId, limit: PAGE, offset });
    change((before) => {
      if (!answer.ok) return { ...before, failure: answer.failure };
      const { messages, nextOffset } = answer.value;
      const page = itemsOf(messages);
      const items = offset === 0 ? withNewest(before.items, page) : withEarlier(before.items, page);
      const earlierAt = offset === 0 && before.isRead ? before.earlierAt : nextOffset;
      return { items, earlierAt, failure: undefined, isRead: true };
    });
  };
  useEffect(() => void read(0), []);
  const send = async (message: AskedTurn): Promise<void> => {
    change(
      withExchange({
        kind: 'exchange',
        turnId: message.turnId,
        question: message.content,
        unsent: { message },
      }),
    );
    const answer = await startTurn(message);
    const { turnId, content: question } = message;
    const refused = !answer.ok && { unsent: { message, failure: answer.failure } };
    change(withExchange({ kind: 'exchange', turnId, question, ...refused }));
  };
  return {
    ...state,
    readEarlier: () => void read(state.earlierAt ?? 0),
    readNewest: () => void read(0),
    add: (turnId, question) => change(withExchange({ kind: 'exchange', turnId, question })),
    send: (message) => void send(message),
  };
};

/** In its place, or as the last one. */
const withExchange =
  (begun: Exchange): Change =>
  (state) => {
    const exchange = { ...begun, isNew: true };
    const isIt = (item: HistoryItem): boolean => item.kind === 'exchange' && item.turnId === exchange.turnId;
    const items = state.items.some(isIt)
      ? state.items.map((item) => (isIt(item) ? exchange : item))
      : [...state.items, exchange];
    return { ...state, items };
  };
