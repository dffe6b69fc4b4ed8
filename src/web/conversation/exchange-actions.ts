/*
 * The actions that a page offers to its exchanges. They are passed through a context, because the components in between
 * do not use them.
 */
import { createContext, useContext } from 'react';
import type { SendMessage } from '../composer/message-options.ts';
import type { UnsentMessage } from './history.ts';
import type { PageSteers } from './use-steers.ts';

/** The functions with which an exchange asks the page for something, or reports what it has seen. */
export interface ExchangeActions {
  readonly onSend: SendMessage;
  readonly onSendAgain: (unsent: UnsentMessage) => void;
  readonly onDiscard: (unsent: UnsentMessage) => void;
  /** Shows the branch of another turn instead of the present branch. */
  readonly onShow: (turnId: string) => void;
  /** Puts a text into the composer, where it can be changed. */
  readonly onTakeBack: (text: string) => void;
  /**
   * Called with whether the turn of an exchange runs: when the exchange appears, when that changes, and with `false`
   * when the exchange disappears.
   */
  readonly onRunning: (turnId: string, isRunning: boolean) => void;
  /**
   * Called when the open input requests of the running turn change. `inputs` is a text that differs for different
   * requests, and is empty for none.
   */
  readonly onOpenInputs: (inputs: string) => void;
  /** Called with the ids of messages that the turn had not read when it ended. */
  readonly onUnapplied: (messageIds: readonly string[]) => void;
  /** The messages of this page into running turns. */
  readonly steers: PageSteers;
}

/** The actions of the conversation that is shown, which its page provides. */
export const ExchangeActionsContext = createContext<ExchangeActions | undefined>(undefined);

/** Returns the actions of the conversation around a component. Throws Error outside a conversation. */
export const useExchangeActions = (): ExchangeActions => {
  const actions = useContext(ExchangeActionsContext);
  if (actions === undefined) throw new Error('An exchange is rendered outside a conversation.');
  return actions;
};
