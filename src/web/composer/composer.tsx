import { type FormEvent, type KeyboardEvent, useEffect, useRef } from 'react';
import { Problem } from '../components/problem.tsx';
import { OptionFields } from './option-fields.tsx';
import type { MessageOptions } from './message-options.ts';
import { TooLongMessage } from './too-long-message.tsx';
import { tooLongWords } from './too-long-words.ts';
import { type DraftProps, useDraft } from './use-draft.ts';
import { useStop } from './use-stop.ts';

interface ComposerProps extends DraftProps {
  readonly models: readonly string[];
  /** Id of the turn that runs in the conversation, if there is one. */
  readonly runningTurn: string | undefined;
  readonly options: MessageOptions;
  readonly onOptionsChange: (options: MessageOptions) => void;
  readonly onSend: (content: string, options: MessageOptions) => void;
  /** Sends a message into the running turn. */
  readonly onSteer: (content: string, when: 'boundary' | 'now') => void;
}

/** The form in which a person writes messages, with buttons that send, interrupt and stop. */
export const Composer = (props: ComposerProps) => {
  const { models, runningTurn, options, onOptionsChange, onSend, onSteer } = props;
  const [text, setText] = useDraft(props);
  const { isStopping, failure, stop } = useStop(runningTurn);
  const tooLong = tooLongWords(text);
  const canSend = text.trim() !== '' && tooLong === undefined;
  const send = (when: 'boundary' | 'now' = 'boundary'): void => {
    if (!canSend) return;
    if (runningTurn === undefined) onSend(text, options);
    else onSteer(text, when);
    setText('');
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    send();
  };
  return (
    <form className="composer" onSubmit={onSubmit}>
      {failure && <Problem failure={{ message: `Not stopped: ${failure.message}` }} retry={stop} />}
      <MessageField
        text={text}
        placeholder={runningTurn === undefined ? 'Ask Orion …' : 'Say something into the answer …'}
        isTooLong={tooLong !== undefined}
        onTextChange={setText}
        onEnter={send}
        onEscape={text === '' ? stop : undefined}
      />
      <TooLongMessage words={tooLong} />
      <div className="bar">
        {/* A message into a turn has the options of the turn. */}
        {runningTurn === undefined && <OptionFields {...{ models, options }} onChange={onOptionsChange} />}
        <Actions
          isRunning={runningTurn !== undefined}
          hasText={text.trim() !== ''}
          {...{ canSend, isStopping, onStop: stop, onInterrupt: () => send('now') }}
        />
      </div>
    </form>
  );
};

interface MessageFieldProps {
  readonly text: string;
  readonly placeholder: string;
  readonly isTooLong: boolean;
  readonly onTextChange: (text: string) => void;
  readonly onEnter: () => void;
  readonly onEscape: (() => void) | undefined;
}

const MessageField = ({ text, placeholder, isTooLong, onTextChange, ...handlers }: MessageFieldProps) => {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const onKey = (event: KeyboardEvent): void => {
    // While an input method composes a word, these keys accept or discard the word.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') handlers.onEscape?.();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    handlers.onEnter();
  };
  return (
    <>
      <label className="hidden" htmlFor="message">
        Message
      </label>
      <textarea
        id="message"
        ref={field}
        rows={1}
        dir="auto"
        value={text}
        placeholder={placeholder}
        aria-invalid={isTooLong}
        onChange={({ target }) => onTextChange(target.value)}
        onKeyDown={onKey}
      />
    </>
  );
};

interface ActionsProps {
  readonly isRunning: boolean;
  readonly hasText: boolean;
  readonly canSend: boolean;
  readonly isStopping: boolean;
  readonly onStop: () => void;
  readonly onInterrupt: () => void;
}

const Actions = ({ isRunning, hasText, canSend, isStopping, onStop, onInterrupt }: ActionsProps) => (
  <div className="actions">
    {isRunning && hasText && (
      <button type="button" disabled={!canSend} onClick={onInterrupt}>
        Interrupt
      </button>
    )}
    {isRunning && (
      <button
        type="button"
        className="stop"
        title="Escape does the same while nothing is typed"
        aria-keyshortcuts="Escape"
        disabled={isStopping}
        onClick={onStop}
      >
        {isStopping ? 'Stopping …' : 'Stop'}
      </button>
    )}
    {(!isRunning || hasText) && (
      <button type="submit" className="main" disabled={!canSend}>
        Send
      </button>
    )}
  </div>
);
