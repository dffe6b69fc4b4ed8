import { useContext } from 'react';
import type { TerminalEvent } from '../../contracts/wire/turn-event.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { Problem } from '../components/problem.tsx';
import { activityWords } from '../turn/call-words.ts';
import { modelsOfAnswer } from '../turn/models-of-answer.ts';
import { TurnModels } from '../turn/turn-models.ts';
import type { StreamedTurn } from '../turn/use-turn.ts';
import { AnswerEnd } from './answer-parts.tsx';
import type { BranchedExchange } from './branches.ts';
import { useExchangeActions } from './exchange-actions.ts';
import type { UnsentQuestion } from './history.ts';

interface AnswerStatusProps {
  readonly exchange: BranchedExchange;
  readonly isLast: boolean;
  /** True when a question may be asked, which is when no turn runs in the conversation. */
  readonly canAsk: boolean;
  readonly turn: StreamedTurn;
}

/** Shows below an answer what its turn is doing, what went wrong, and what can be done about it. */
export const AnswerStatus = ({ exchange, isLast, canAsk, turn }: AnswerStatusProps) => {
  const { onAsk } = useExchangeActions();
  const { unsent, question, options, parentTurnId } = exchange;
  // Asks the same question with the same options and parent, as another version of this turn.
  const askAgain = (): void => onAsk(question, options, parentTurnId);
  const { end, entries } = turn.log.view;
  const models = modelsOfAnswer(useContext(TurnModels).get(exchange.turnId), entries);
  // The stored answer may outlive the record of its turn.
  const isGone = turn.failure?.code === 'turn_not_found' && exchange.answer !== undefined;
  if (isGone) return null;
  if (unsent?.failure) return <RefusedQuestion unsent={unsent} />;
  if (turn.failure) return <Problem failure={turn.failure} />;
  if (end?.type === 'error') return <Problem failure={end} {...(isLast && { retry: askAgain })} />;
  if (end) return <AnswerFooter end={end} models={models} {...(canAsk && { askAgain })} />;
  if (turn.log.lastId === null && exchange.answer !== undefined) return null;
  const words = unsent ? 'Sending' : (activityWords(turn.log.view) ?? '');
  return (
    <p className="present">
      <span className="pulse" aria-hidden="true" />
      <span role="status">{turn.isDisconnected ? 'Connection lost: asking again' : words}</span>
    </p>
  );
};

/**
 * The words for a question that was refused because another turn was running. The words of the gateway would be wrong
 * as soon as that turn has ended.
 */
const TURN_WAS_IN_THE_WAY = 'Not sent: another turn was running in this conversation.';

/** Shows why the gateway refused a question, and what can be done about it. */
const RefusedQuestion = ({ unsent }: { unsent: UnsentQuestion }) => {
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
      // From the composer, the question would continue the branch, although it was meant to begin one beside it.
      {...(!isBeside && { edit })}
    />
  ) : null;
};

interface AnswerFooterProps {
  readonly end: Extract<TerminalEvent, { type: 'done' }>;
  readonly models: readonly string[];
  readonly askAgain?: () => void;
}

const AnswerFooter = ({ end, models, askAgain }: AnswerFooterProps) => (
  <div className="end">
    <AnswerEnd end={end} models={models} />
    <div className="actions">
      {askAgain && (
        <button type="button" className="quiet" onClick={askAgain}>
          Answer again
        </button>
      )}
      <CopyButton text={end.fullContent} what="answer" />
    </div>
  </div>
);
