import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Problem } from '../components/problem.tsx';
import { storeDraft, storeDraftedConversation, readDraft } from '../tab-storage/stored-draft.ts';
import type { PageRoute } from '../route/address.ts';
import type { Failure } from '../http/request-failure.ts';
import { cancelTurn } from '../http/turn-requests.ts';
import { OptionFields } from './option-fields.tsx';
import type { MessageOptions } from './message-options.ts';
import { TooLongMessage } from './too-long-message.tsx';
import { tooLongWords } from './too-long-words.ts';

interface ComposerProps {
  readonly route: PageRoute;
  readonly models: readonly string[];
  /** Id of the turn that runs in the conversation, if there is one. */
  readonly runningTurn: string | undefined;
  /** True when the conversation has no messages. Undefined while that is not known. */
  readonly isNew: boolean | undefined;
  /** Text that the field has at first, before a stored draft. */
  readonly initialText: string;
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

const MessageField = ({ text, placeholder, isTooLong, onTextChange, ...on }: MessageFieldProps) => {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const onKey = (event: KeyboardEvent): void => {
    // While an input method composes a word, these keys accept or discard the word.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') on.onEscape?.();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    on.onEnter();
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

/**
 * Keeps the text that was typed and not sent, also through a reload. `initialText` is stored like typed text, because
 * the page gets it only once.
 */
const useDraft = ({
  route: { projectId, conversationId },
  initialText,
  isNew,
}: ComposerProps): readonly [string, (text: string) => void] => {
  const [text, setText] = useState(() =>
    [initialText, readDraft({ projectId, conversationId }, sessionStorage)].filter(Boolean).join('\n'),
  );
  useEffect(
    () => storeDraft({ projectId, conversationId }, text, sessionStorage),
    [projectId, conversationId, text],
  );
  const isDrafted = isNew && text !== '';
  useEffect(() => {
    if (isDrafted !== undefined) {
      storeDraftedConversation({ projectId, conversationId }, isDrafted, sessionStorage);
    }
  }, [projectId, conversationId, isDrafted]);
  return [text, setText];
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

interface StopRequest {
  readonly turnId: string;
  /**
   * The failure with which the gateway refused the stop. Absent until the gateway has answered, and if it has accepted
   * the stop.
   */
  readonly failure?: Failure;
}

/**
 * Returns the state of stopping the running turn, and the function that stops it. The state of a request for an earlier
 * turn is ignored.
 */
const useStop = (runningTurn: string | undefined) => {
  const [request, setRequest] = useState<StopRequest>();
  const current = request?.turnId === runningTurn ? request : undefined;
  const isStopping = current !== undefined && current.failure === undefined;
  const stop = async (turnId: string): Promise<void> => {
    setRequest({ turnId });
    const result = await cancelTurn(turnId);
    if (!result.ok) setRequest({ turnId, failure: result.failure });
  };
  return {
    isStopping,
    failure: current?.failure,
    stop: (): void => void (runningTurn !== undefined && !isStopping && stop(runningTurn)),
  };
};
