import { useContext } from 'react';
import type { TerminalEvent } from '../../contracts/wire/turn-event.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { Problem } from '../components/problem.tsx';
import { activityWords } from '../turn/call-words.ts';
import { FirstModels } from '../turn/first-models.ts';
import { modelsOfAnswer } from '../turn/models-of-answer.ts';
import type { StreamedTurn } from '../turn/turn-stream-reader.ts';
import { AnswerEnd } from './answer-parts.tsx';
import type { BranchedExchange } from './branches.ts';
import { useExchangeActions } from './exchange-actions.ts';
import type { UnsentMessage } from './history.ts';

interface AnswerStatusProps {
  readonly exchange: BranchedExchange;
  readonly isLast: boolean;
  /** True when a message may begin a turn, which is when no turn runs in the conversation. */
  readonly canStartTurn: boolean;
  readonly turn: StreamedTurn;
}

/** Shows below an answer what its turn is doing, what went wrong, and what can be done about it. */
export const AnswerStatus = ({ exchange, isLast, canStartTurn, turn }: AnswerStatusProps) => {
  const { onSend } = useExchangeActions();
  const { unsent, message, options, parentTurnId } = exchange;
  // Sends the same message with the same options and parent, as another version of this turn.
  const retry = (): void => onSend(message, options, parentTurnId);
  const { end, entries } = turn.received.view;
  const models = modelsOfAnswer(useContext(FirstModels).get(exchange.turnId), entries);
  // The stored answer may outlive the record of its turn.
  const isGone = turn.failure?.code === 'turn_not_found' && exchange.answer !== undefined;
  if (isGone) return null;
  if (unsent?.failure) return <RefusedMessage unsent={unsent} />;
  if (turn.failure) return <Problem failure={turn.failure} />;
  if (end?.type === 'error') return <Problem failure={end} {...(isLast && { retry })} />;
  if (end) return <AnswerFooter end={end} models={models} {...(canStartTurn && { retry })} />;
  if (turn.received.lastId === null && exchange.answer !== undefined) return null;
  const words = unsent ? 'Sending' : (activityWords(turn.received.view) ?? '');
  return (
    <p className="present">
      <span className="pulse" aria-hidden="true" />
      <span role="status">{turn.isDisconnected ? 'Connection lost: asking again' : words}</span>
    </p>
  );
};

/**
 * The words for a message that was refused because another turn was running. The words of the gateway would be wrong
 * as soon as that turn has ended.
 */
const TURN_WAS_IN_THE_WAY = 'Not sent: another turn was running in this conversation.';

/** Shows why the gateway refused a message, and what can be done about it. */
const RefusedMessage = ({ unsent }: { unsent: UnsentMessage }) => {
  const { onSendAgain, onDiscard, onTakeBack } = useExchangeActions();
  const { message, isBeside, failure } = unsent;
  const edit = (): void => {
    onDiscard(unsent);
    onTakeBack(message.content);
  };
  return failure ? (
    <Problem
      failure={failure.code === 'turn_in_progress' ? { message: TURN_WAS_IN_THE_WAY } : failure}
      retry={() => onSendAgain(unsent)}
      discard={() => onDiscard(unsent)}
      // From the composer, the message would continue the branch, although it was meant to begin one beside it.
      {...(!isBeside && { edit })}
    />
  ) : null;
};

interface AnswerFooterProps {
  readonly end: Extract<TerminalEvent, { type: 'done' }>;
  readonly models: readonly string[];
  readonly retry?: () => void;
}

const AnswerFooter = ({ end, models, retry }: AnswerFooterProps) => (
  <div className="end">
    <AnswerEnd end={end} models={models} />
    <div className="actions">
      {retry && (
        <button type="button" className="quiet" onClick={retry}>
          Answer again
        </button>
      )}
      <CopyButton text={end.fullContent} what="answer" />
    </div>
  </div>
);
