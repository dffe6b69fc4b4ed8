/* The items of a conversation, from its stored messages. All functions here are pure. */
import type { ChatMessage } from '../../contracts/http/message-api.ts';
import type { Failure } from '../http/request-failure.ts';
import type { NewTurnMessage } from '../http/turn-requests.ts';
import { type MessageOptions, optionsOfMessage } from '../composer/message-options.ts';

/**
 * A message of the user and its turn. `answer` is the stored answer, which is shown until the events of the turn are
 * read.
 */
export interface Exchange {
  readonly kind: 'exchange';
  readonly turnId: string;
  /** The parent of this turn. Null if it has none. */
  readonly parentTurnId: string | null;
  readonly message: string;
  /** Mode, protocol and model with which the message was sent. */
  readonly options: MessageOptions;
  readonly answer?: string;
  /** True when the exchange was begun on this page, so that the messages of the gateway may not include it yet. */
  readonly isNew?: boolean;
  /** The message, while the gateway has not accepted it. Absent once it has. */
  readonly unsent?: UnsentMessage;
}

/** A message that the gateway has not accepted. It belongs to no branch yet, and is shown below the present one. */
export interface UnsentMessage {
  readonly message: NewTurnMessage;
  /** True when the message begins a branch at its parent. False when it follows everything that is shown. */
  readonly isBeside: boolean;
  /** The failure with which the gateway refused the message. Absent until the gateway has answered. */
  readonly failure?: Failure;
}

/** A note: a message that was posted into the conversation without a turn. */
export interface NoteItem {
  readonly kind: 'note';
  readonly id: string;
  readonly content: string;
}

/** An item of a conversation: a message with its turn, or a note. */
export type HistoryItem = Exchange | NoteItem;

/** Returns the items of a page of messages, oldest first. The messages are given newest first. */
export const itemsOf = (messages: readonly ChatMessage[]): readonly HistoryItem[] => {
  const answers = new Map(
    messages.filter(({ sender }) => sender === 'orion').map(({ turnId, content }) => [turnId, content]),
  );
  return messages.toReversed().flatMap((message): HistoryItem[] => {
    const { id, turnId, parentTurnId, sender, content, metadata } = message;
    if (turnId === null) return [{ kind: 'note', id, content }];
    // Steers are among the events of their turn.
    if (sender !== 'user' || metadata['steer'] !== undefined) return [];
    const answer = answers.get(turnId);
    const options = optionsOfMessage(message);
    const exchange = { kind: 'exchange', turnId, parentTurnId, message: content, options } as const;
    return [{ ...exchange, ...(answer !== undefined && { answer }) }];
  });
};

/** Reports whether an item is a message with its turn, and not a note. */
export const isExchange = <T extends HistoryItem>(item: T): item is Extract<T, Exchange> =>
  item.kind === 'exchange';

/** Returns the key of an item, which is unique within its conversation. */
export const itemKey = (item: HistoryItem): string =>
  item.kind === 'note' ? `note ${item.id}` : item.turnId;

/** Adds earlier items before the present ones. Items that are already present stay as they are. */
export const withEarlier = (
  items: readonly HistoryItem[],
  earlier: readonly HistoryItem[],
): readonly HistoryItem[] => {
  const knownKeys = new Set(items.map(itemKey));
  return [...earlier.filter((item) => !knownKeys.has(itemKey(item))), ...items];
};

/**
 * Replaces the end of the list by the newest items as they were just read. Exchanges that were begun on this page and
 * are not among them stay at the end.
 */
export const withNewest = (
  items: readonly HistoryItem[],
  newest: readonly HistoryItem[],
): readonly HistoryItem[] => {
  const readKeys = new Set(newest.map(itemKey));
  const others = items.filter((item) => !readKeys.has(itemKey(item)));
  const isNew = (item: HistoryItem): boolean => item.kind === 'exchange' && item.isNew === true;
  return [...others.filter((item) => !isNew(item)), ...newest, ...others.filter(isNew)];
};
