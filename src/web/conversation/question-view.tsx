import { type KeyboardEvent, useState } from 'react';
import type { BranchedExchange } from './branches.ts';
import { useExchangeActions } from './exchange-actions.ts';
import { TooLongMessage } from './too-long.tsx';
import { tooLongWords } from './too-long-words.ts';

interface QuestionViewProps {
  readonly exchange: BranchedExchange;
  /** True when a question may be asked: no other turn runs in the conversation. */
  readonly canAsk: boolean;
}

/**
 * Shows a question with its versions, and lets a person edit it. An edited question becomes another version, on a
 * branch of its own.
 */
export const QuestionView = ({ exchange, canAsk }: QuestionViewProps) => {
  const { onAsk } = useExchangeActions();
  const [isEditing, setEditing] = useState(false);
  const { question, options, parentTurnId } = exchange;
  const onSend = (text: string): void => {
    setEditing(false);
    onAsk(text, options, parentTurnId);
  };
  if (isEditing) return <EditQuestion {...{ question, canAsk, onSend }} onBack={() => setEditing(false)} />;
  return (
    <div className="asked-question">
      <p className="question" dir="auto">
        {question}
      </p>
      <div className="versions">
        <Versions exchange={exchange} />
        {canAsk && exchange.unsent === undefined && (
          <button
            type="button"
            className="quiet edit-question"
            aria-label="Edit the question"
            onClick={() => setEditing(true)}
          >
            Edit
          </button>
        )}
      </div>
    </div>
  );
};

/** Shows which version of a question this is, with buttons for the versions before and after it. */
const Versions = ({ exchange: { turnId, versions } }: Pick<QuestionViewProps, 'exchange'>) => {
  const { onShow } = useExchangeActions();
  if (versions.length < 2) return null;
  const at = versions.indexOf(turnId);
  const step = (label: string, sign: string, to: string | undefined) => (
    <button
      type="button"
      className="quiet"
      aria-label={label}
      disabled={to === undefined}
      onClick={() => to !== undefined && onShow(to)}
    >
      {sign}
    </button>
  );
  return (
    <div role="group" aria-label="Versions">
      {step('Earlier version', '‹', versions[at - 1])}
      <span className="fact">
        {at + 1} of {versions.length}
      </span>
      {step('Later version', '›', versions[at + 1])}
    </div>
  );
};

interface EditQuestionProps {
  readonly question: string;
  readonly canAsk: boolean;
  readonly onSend: (text: string) => void;
  readonly onBack: () => void;
}

const EditQuestion = ({ question, canAsk, onSend, onBack }: EditQuestionProps) => {
  const [text, setText] = useState(question);
  const tooLong = tooLongWords(text);
  const canSend = canAsk && text.trim() !== '' && tooLong === undefined;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onBack();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (canSend) onSend(text);
  };
  return (
    <div className="edited-question">
      <textarea
        aria-label="The question anew"
        dir="auto"
        autoFocus
        aria-invalid={tooLong !== undefined}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <TooLongMessage words={tooLong} />
      <div className="actions">
        <button type="button" onClick={onBack}>
          Cancel
        </button>
        <button type="button" className="main" disabled={!canSend} onClick={() => onSend(text)}>
          Ask
        </button>
      </div>
    </div>
  );
};
