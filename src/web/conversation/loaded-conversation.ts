import type { MessageList } from '../../contracts/http/message-api.ts';
import type { Failure } from '../http/request-failure.ts';
import { DEFAULT_OPTIONS } from '../composer/message-options.ts';
import { type Exchange, type HistoryItem, isExchange, itemsOf, withEarlier, withNewest } from './history.ts';

/** What the page has read of a conversation. */
export interface LoadedConversation {
  /** Messages and notes of all branches, oldest first. */
  readonly items: readonly HistoryItem[];
  /** The offset of the messages before these items. Null when there are none. */
  readonly earlierOffset: number | null;
  readonly failure: Failure | undefined;
  readonly isRead: boolean;
}

/** A change of what the page has read: returns the state with that change. */
export type StateUpdate = (state: LoadedConversation) => LoadedConversation;

/** Adds a page of messages that was read at `offset`. */
export const withPage =
  ({ messages, nextOffset }: MessageList, offset: number): StateUpdate =>
  (before) => {
    const page = itemsOf(messages);
    const items = offset === 0 ? withNewest(before.items, page) : withEarlier(before.items, page);
    const earlierOffset = before.isRead ? furtherBack(before.earlierOffset, nextOffset) : nextOffset;
    return { items, earlierOffset, failure: undefined, isRead: true };
  };

/**
 * Returns the offset that is further back; null is the beginning of the conversation. Pages may arrive in another order
 * than they were requested.
 */
const furtherBack = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.max(one, other);

/** Adds a turn that began with a message into another turn. The gateway gives it the options of that other turn. */
export const withFollowingTurn =
  (begun: Pick<Exchange, 'turnId' | 'message'>, afterTurnId: string): StateUpdate =>
  (state) => {
    const before = state.items.find((item) => isExchange(item) && item.turnId === afterTurnId);
    const options = before?.kind === 'exchange' ? before.options : DEFAULT_OPTIONS;
    return withExchange({ kind: 'exchange', ...begun, parentTurnId: afterTurnId, options })(state);
  };

/** Removes the message that began a turn. */
export const withoutTurn =
  (turnId: string): StateUpdate =>
  (state) => ({ ...state, items: state.items.filter((item) => !isExchange(item) || item.turnId !== turnId) });

/** Puts an exchange in the place of the one with the same turn, or at the end if there is none. */
export const withExchange =
  (begun: Exchange): StateUpdate =>
  (state) => {
    const exchange = { ...begun, isNew: true };
    const isSameTurn = (item: HistoryItem): boolean => isExchange(item) && item.turnId === exchange.turnId;
    const items = state.items.some(isSameTurn)
      ? state.items.map((item) => (isSameTurn(item) ? exchange : item))
      : [...state.items, exchange];
    return { ...state, items };
  };
