import { useCallback, useEffect, useReducer } from 'react';
import type { MessageList } from '../../contracts/http/message-api.ts';
import { listMessages, startTurn, type Failure, type AskedTurn } from '../server/requests.ts';
import type { Place } from './address.ts';
import { FIRST_OPTIONS } from './ask-options.ts';
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
  /** A turn that has begun with this question, and is like that other one of the conversation. */
  readonly add: (begun: Pick<Exchange, 'turnId' | 'question'>, likeTurnId: string) => void;
  readonly send: (message: AskedTurn) => void;
}

const NOTHING: ConversationState = { items: [], earlierAt: null, failure: undefined, isRead: false };
const PAGE = 20;

type Change = (state: ConversationState) => ConversationState;
const apply = (state: ConversationState, change: Change): ConversationState => change(state);

/** Reads the newest messages of a conversation, earlier ones when asked, and starts turns in it. */
export const useConversation = ({ projectId, conversationId }: Place): ShownConversation => {
  const [state, change] = useReducer(apply, NOTHING);
  const read = useCallback(
    async (offset: number): Promise<void> => {
      const answer = await listMessages({ projectId, conversationId, limit: PAGE, offset });
      change(
        answer.ok ? withPage(answer.value, offset) : (before) => ({ ...before, failure: answer.failure }),
      );
    },
    [projectId, conversationId],
  );
  const readNewest = useCallback((): void => void read(0), [read]);
  useEffect(readNewest, [readNewest]);
  const send = async (message: AskedTurn): Promise<void> => {
    const { turnId, content: question, mode, protocol, model } = message;
    const begun: Exchange = { kind: 'exchange', turnId, question, asked: { mode, protocol, model } };
    change(withExchange({ ...begun, unsent: { message } }));
    const answer = await startTurn(message);
    const refused = !answer.ok && { unsent: { message, failure: answer.failure } };
    change(withExchange({ ...begun, ...refused }));
  };
  return {
    ...state,
    readEarlier: () => void read(state.earlierAt ?? 0),
    readNewest,
    add: (begun, likeTurnId) => change(withNext(begun, likeTurnId)),
    send: (message) => void send(message),
  };
};

const withPage =
  ({ messages, nextOffset }: MessageList, offset: number): Change =>
  (before) => {
    const page = itemsOf(messages);
    const items = offset === 0 ? withNewest(before.items, page) : withEarlier(before.items, page);
    const earlierAt = offset === 0 && before.isRead ? before.earlierAt : nextOffset;
    return { items, earlierAt, failure: undefined, isRead: true };
  };

/** The gateway gives a turn that begins with a message into another one the options of that one. */
const withNext =
  (begun: Pick<Exchange, 'turnId' | 'question'>, likeTurnId: string): Change =>
  (state) => {
    const before = state.items.find((item) => item.kind === 'exchange' && item.turnId === likeTurnId);
    const asked = before?.kind === 'exchange' ? before.asked : FIRST_OPTIONS;
    return withExchange({ kind: 'exchange', ...begun, asked })(state);
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
