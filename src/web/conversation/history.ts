/* The earlier items of a conversation, from its stored messages. All functions here are pure. */
import type { ChatMessage } from '../../contracts/http/message-api.ts';
import type { Failure } from '../server/gateway-request.ts';
import type { NewTurnMessage } from '../server/requests.ts';
import { type AskOptions, optionsOfMessage } from './ask-options.ts';

/** A question and its turn. `answer` is the stored answer, until the events are read. */
export interface Exchange {
  readonly kind: 'exchange';
  readonly turnId: string;
  /** The parent of this turn. Null if it has none. */
  readonly parentTurnId: string | null;
  readonly question: string;
  /** Mode, protocol and model with which the question was asked. */
  readonly options: AskOptions;
  readonly answer?: string;
  /** True when the exchange was begun here: what the gateway returns may not include it yet. */
  readonly isNew?: boolean;
  /** The question that the gateway has not taken yet; absent once it has. */
  readonly unsent?: UnsentQuestion;
}

/** A question that the gateway has not accepted: it belongs to no branch yet, and is shown below the present one. */
export interface UnsentQuestion {
  readonly message: NewTurnMessage;
  /** True when it begins a branch at its parent. False when it follows everything that is shown. */
  readonly isBeside: boolean;
  /** The failure with which it was refused. Absent while it is on its way. */
  readonly failure?: Failure;
}

/** Something that was put into the conversation without a turn. */
export interface NoteItem {
  readonly kind: 'note';
  readonly id: string;
  readonly content: string;
}

/** One item of a conversation, from top to bottom. */
export type HistoryItem = Exchange | NoteItem;

/** Returns the items of a page of messages, which come newest first; the result has the oldest item first. */
export const itemsOf = (messages: readonly ChatMessage[]): readonly HistoryItem[] => {
  const answers = new Map(
    messages.filter(({ sender }) => sender === 'orion').map(({ turnId, content }) => [turnId, content]),
  );
  return messages.toReversed().flatMap((message): HistoryItem[] => {
    const { id, turnId, parentTurnId, sender, content, metadata } = message;
    if (turnId === null) return [{ kind: 'note', id, content }];
    // Messages into a running turn are among its events.
    if (sender !== 'user' || metadata['steer'] !== undefined) return [];
    const answer = answers.get(turnId);
    const options = optionsOfMessage(message);
    const exchange = { kind: 'exchange', turnId, parentTurnId, question: content, options } as const;
    return [{ ...exchange, ...(answer !== undefined && { answer }) }];
  });
};

/** Returns true for an item that is a question with its turn, and not a note. */
export const isExchange = <T extends HistoryItem>(item: T): item is Extract<T, Exchange> =>
  item.kind === 'exchange';

/** Returns the key of an item, which no other item of its conversation has. */
export const itemKey = (item: HistoryItem): string =>
  item.kind === 'note' ? `note ${item.id}` : item.turnId;

/** Adds earlier items before the present ones, none twice: present ones stay as they are. */
export const withEarlier = (
  items: readonly HistoryItem[],
  earlier: readonly HistoryItem[],
): readonly HistoryItem[] => {
  const known = new Set(items.map(itemKey));
  return [...earlier.filter((item) => !known.has(itemKey(item))), ...items];
};

/** Adds the newest items, read anew: they replace the end of the list, except what has begun here meanwhile. */
export const withNewest = (
  items: readonly HistoryItem[],
  newest: readonly HistoryItem[],
): readonly HistoryItem[] => {
  const read = new Set(newest.map(itemKey));
  const others = items.filter((item) => !read.has(itemKey(item)));
  const isNew = (item: HistoryItem): boolean => item.kind === 'exchange' && item.isNew === true;
  return [...others.filter((item) => !isNew(item)), ...newest, ...others.filter(isNew)];
};
