/* The actions of a page reach its exchanges through a context: the components between them do not use them. */
import { createContext, useContext } from 'react';
import type { AskQuestion } from './ask-options.ts';
import type { UnsentQuestion } from './history.ts';
import type { PageSteers } from './use-steers.ts';

/** The functions with which exchanges ask the page for something, and report to it what they have seen. */
export interface ExchangeActions {
  readonly onAsk: AskQuestion;
  readonly onSendAgain: (unsent: UnsentQuestion) => void;
  readonly onDiscard: (unsent: UnsentQuestion) => void;
  /** Shows the branch of that turn instead of the present one. */
  readonly onShow: (turnId: string) => void;
  /** Puts a text into the composer, where it can be changed. */
  readonly onTakeBack: (text: string) => void;
  /** Called with whether the turn runs, once that is known. */
  readonly onRunning: (turnId: string, isRunning: boolean) => void;
  /** Called with what the running turn waits for, when that changes. */
  readonly onOpenInputs: (inputs: string) => void;
  /** Called with messages into the turn that came too late, since it had ended. */
  readonly onUnapplied: (messageIds: readonly string[]) => void;
  /** The messages of this page into turns. */
  readonly steers: PageSteers;
}

/** The actions of the conversation that is shown; its page provides them. */
export const ExchangeActionsContext = createContext<ExchangeActions | undefined>(undefined);

/** Returns the actions of the conversation around a component. Throws outside a conversation. */
export const useExchangeActions = (): ExchangeActions => {
  const actions = useContext(ExchangeActionsContext);
  if (actions === undefined) throw new Error('An exchange is rendered outside a conversation.');
  return actions;
};
