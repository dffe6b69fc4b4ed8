import { type KeyboardEvent, useState } from 'react';
import type { BranchedExchange } from './branches.ts';
import { useExchangeActions } from './exchange-actions.ts';
import { TooLongMessage } from '../composer/too-long-message.tsx';
import { tooLongWords } from '../composer/too-long-words.ts';

interface UserMessageProps {
  readonly exchange: BranchedExchange;
  /** True when a message may begin a turn: no other turn runs in the conversation. */
  readonly canStartTurn: boolean;
}

/**
 * Shows a message with its versions, and lets a person edit it. An edited message becomes another version, on a
 * branch of its own.
 */
export const UserMessage = ({ exchange, canStartTurn }: UserMessageProps) => {
  const { onSend } = useExchangeActions();
  const [isEditing, setEditing] = useState(false);
  const { message, options, parentTurnId } = exchange;
  const sendEdited = (text: string): void => {
    setEditing(false);
    onSend(text, options, parentTurnId);
  };
  const onBack = (): void => setEditing(false);
  if (isEditing) return <MessageEditor {...{ message, canStartTurn, onBack }} onSend={sendEdited} />;
  return (
    <div className="sent-message">
      <p className="user-message" dir="auto">
        {message}
      </p>
      <div className="versions">
        <Versions exchange={exchange} />
        {canStartTurn && exchange.unsent === undefined && (
          <button
            type="button"
            className="quiet edit-message"
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

/** Shows which version of a message this is, with buttons for the versions before and after it. */
const Versions = ({ exchange: { turnId, versions } }: Pick<UserMessageProps, 'exchange'>) => {
  const { onShow } = useExchangeActions();
  if (versions.length < 2) return null;
  const index = versions.indexOf(turnId);
  const versionButton = (label: string, sign: string, to: string | undefined) => (
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
      {versionButton('Earlier version', '‹', versions[index - 1])}
      <span className="fact">
        {index + 1} of {versions.length}
      </span>
      {versionButton('Later version', '›', versions[index + 1])}
    </div>
  );
};

interface MessageEditorProps {
  readonly message: string;
  readonly canStartTurn: boolean;
  readonly onSend: (text: string) => void;
  readonly onBack: () => void;
}

const MessageEditor = ({ message, canStartTurn, onSend, onBack }: MessageEditorProps) => {
  const [text, setText] = useState(message);
  const tooLong = tooLongWords(text);
  const canSend = canStartTurn && text.trim() !== '' && tooLong === undefined;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onBack();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (canSend) onSend(text);
  };
  return (
    <div className="message-editor">
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
