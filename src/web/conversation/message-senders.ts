import { startTurn, type NewTurnMessage } from '../http/turn-requests.ts';
import { type BranchItem, lastTurnOf } from './branches.ts';
import type { Exchange, UnsentMessage } from './history.ts';
import {
  type LoadedConversation,
  type StateUpdate,
  withExchange,
  withoutTurn,
} from './loaded-conversation.ts';

/** The functions that send messages in a conversation, and remove those that were not sent. */
export interface MessageSenders {
  /** Sends a message. If `isBeside`, it begins a branch at its parent instead of following what is shown. */
  readonly send: (message: NewTurnMessage, isBeside: boolean) => void;
  /** Sends a message once more. If another turn was running, the message now follows that turn, unless `isBeside`. */
  readonly sendAgain: (unsent: UnsentMessage) => void;
  /** Removes a message that the gateway has not accepted. */
  readonly discard: (unsent: UnsentMessage) => void;
}

interface SendingOptions {
  readonly state: LoadedConversation;
  readonly update: (change: StateUpdate) => void;
  /** The branch that is shown. */
  readonly branch: readonly BranchItem[];
  /** Reads the newest messages of the conversation. */
  readonly readNewest: () => void;
}

/** Creates the functions that send messages. They show each message at once, and why the gateway has refused it. */
export const createSenders = ({ state, update, branch, readNewest }: SendingOptions): MessageSenders => {
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
    // A refused message was not stored, so it may get another parent. A message without a response may have been
    // accepted, and must stay the same.
    const followsRunningTurn = failure?.code === 'turn_in_progress' && !isBeside;
    const resent = followsRunningTurn ? { ...message, parentTurnId: lastTurnOf(branch) } : message;
    // If an earlier try was accepted, other messages may have been sent since.
    if (await send(resent, isBeside)) readNewest();
  };
  return {
    send: (message, isBeside) => void send(message, isBeside),
    sendAgain: (unsent) => void sendAgain(unsent),
    discard: ({ message }) => update(withoutTurn(message.turnId)),
  };
};

/** Returns the exchange that a message begins. */
export const exchangeOf = ({
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
