/* The earlier items of a conversation, from its stored messages. All functions here are pure. */
import type { ChatMessage } from '../../contracts/http/message-api.ts';
import type { Failure } from '../server/gateway-request.ts';
import type { AskedTurn } from '../server/requests.ts';
import { type AskOptions, askedOptions } from './ask-options.ts';

/** A question and its turn. `answer`: the stored answer, until the events are read. */
export interface Exchange {
  readonly kind: 'exchange';
  readonly turnId: string;
  /** The turn that this one goes on from; null: none. */
  readonly parentTurnId: string | null;
  readonly question: string;
  /** Mode, protocol and model with which the question was asked. */
  readonly asked: AskOptions;
  readonly answer?: string;
  /** True when the exchange was begun here: what the gateway returns may not include it yet. */
  readonly isNew?: boolean;
  /** The question that the gateway has not taken yet; absent once it has. */
  readonly unsent?: UnsentQuestion;
}

/** A question that the gateway has not taken: it belongs to no branch yet, and stands below the one that is shown. */
export interface UnsentQuestion {
  readonly message: AskedTurn;
  /** True when it was asked beside what follows its parent; false: behind everything. */
  readonly isBeside: boolean;
  /** The failure with which it was refused; absent while it is on its way. */
  readonly failure?: Failure;
}

/** Something that was put into the conversation without a turn. */
export interface ShownNote {
  readonly kind: 'note';
  readonly id: string;
  readonly content: string;
}

/** One item of a conversation, from top to bottom. */
export type HistoryItem = Exchange | ShownNote;

/** Returns the items of a page of messages, which come newest first; the result has the oldest item first. */
export const itemsOf = (messages: readonly ChatMessage[]): readonly HistoryItem[] => {
  const answers = new Map(
    messages.filter(({ sender }) => sender === 'orion').map(({ turnId, content }) => [turnId, content]),
  );
  return messages.toReversed().flatMap((message): HistoryItem[] => {
    const { id, turnId, parentTurnId, sender, content, metadata } = message;
    if (turnId === null) return [{ kind: 'note', id, content }];
    // Messages into a running turn stand among its events.
    if (sender !== 'user' || metadata['steer'] !== undefined) return [];
    const answer = answers.get(turnId);
    const asked = askedOptions(message);
    const exchange = { kind: 'exchange', turnId, parentTurnId, question: content, asked } as const;
    return [{ ...exchange, ...(answer !== undefined && { answer }) }];
  });
};

/** Tells if an item is a question with its turn, and not a note. */
export const isExchange = <T extends HistoryItem>(item: T): item is Extract<T, Exchange> =>
  item.kind === 'exchange';

/** The name of an item, which is that of no other. */
export const itemName = (item: HistoryItem): string =>
  item.kind === 'note' ? `note ${item.id}` : item.turnId;

/** Adds earlier items before the present ones, none twice: present ones stay as they are. */
export const withEarlier = (
  items: readonly HistoryItem[],
  earlier: readonly HistoryItem[],
): readonly HistoryItem[] => {
  const known = new Set(items.map(itemName));
  return [...earlier.filter((item) => !known.has(itemName(item))), ...items];
};

/** Adds the newest items, read anew: they replace the end of the list, except what has begun here meanwhile. */
export const withNewest = (
  items: readonly HistoryItem[],
  newest: readonly HistoryItem[],
): readonly HistoryItem[] => {
  const read = new Set(newest.map(itemName));
  const others = items.filter((item) => !read.has(itemName(item)));
  const isNew = (item: HistoryItem): boolean => item.kind === 'exchange' && item.isNew === true;
  return [...others.filter((item) => !isNew(item)), ...newest, ...others.filter(isNew)];
};
