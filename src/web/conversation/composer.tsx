import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { stopTurn } from '../server/requests.ts';
import type { Place } from '../place/address.ts';
import type { AskOptions } from './ask-options.ts';

interface ComposerProps {
  readonly place: Place;
  readonly models: readonly string[];
  /** The turn that runs here, if there is one. */
  readonly runningTurn: string | undefined;
  /** Text for the line where no draft was left in it. */
  readonly given: string;
  readonly options: AskOptions;
  readonly onOptions: (options: AskOptions) => void;
  readonly onSend: (content: string, options: AskOptions) => void;
  /** Says a message into the turn that runs. */
  readonly onSteer: (content: string, when: 'boundary' | 'now') => void;
}

/** Enter that ends a word of an input method does not send the text. */
export const Composer = (props: ComposerProps) => {
  const { models, runningTurn, options, onOptions, onSend, onSteer } = props;
  const [text, setText] = useDraft(props);
  const send = (when: 'boundary' | 'now' = 'boundary'): void => {
    if (text.trim() === '') return;
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
      <MessageField
        text={text}
        placeholder={runningTurn === undefined ? 'Ask Orion …' : 'Say something into the answer …'}
        onText={setText}
        onEnter={send}
      />
      <div className="bar">
        <Choices models={models} options={options} onChange={onOptions} />
        <Actions runningTurn={runningTurn} isEmpty={text.trim() === ''} onNow={() => send('now')} />
      </div>
    </form>
  );
};

interface MessageFieldProps {
  readonly text: string;
  readonly placeholder: string;
  readonly onText: (text: string) => void;
  readonly onEnter: () => void;
}

const MessageField = ({ text, placeholder, onText, onEnter }: MessageFieldProps) => {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const onKey = (event: KeyboardEvent): void => {
    // Enter that ends a word of an input method is not one of the text.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onEnter();
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
        onChange={({ target }) => onText(target.value)}
        onKeyDown={onKey}
      />
    </>
  );
};

/** The text that was typed and not sent, which stays through a reload, only in this tab. */
const useDraft = ({ place, given }: ComposerProps): readonly [string, (text: string) => void] => {
  const name = `draft ${place.projectId} ${place.conversationId}`;
  const [text, setText] = useState(() =>
    [given, sessionStorage.getItem(name) ?? ''].filter(Boolean).join('\n'),
  );
  const keep = (next: string): void => {
    setText(next);
    if (next === '') sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, next);
  };
  return [text, keep];
};

interface ActionsProps {
  readonly runningTurn: string | undefined;
  readonly isEmpty: boolean;
  readonly onNow: () => void;
}

const Actions = ({ runningTurn, isEmpty, onNow }: ActionsProps) => (
  <div className="actions">
    {runningTurn !== undefined && !isEmpty && (
      <button type="button" onClick={onNow}>
        Interrupt
      </button>
    )}
    {runningTurn !== undefined && (
      <button type="button" className="stop" onClick={() => void stopTurn(runningTurn)}>
        Stop
      </button>
    )}
    {(runningTurn === undefined || !isEmpty) && (
      <button type="submit" className="main" disabled={isEmpty}>
        Send
      </button>
    )}
  </div>
);

interface ChoicesProps {
  readonly models: readonly string[];
  readonly options: AskOptions;
  readonly onChange: (options: AskOptions) => void;
}

const MODES = [
  ['act', 'Act'],
  ['plan', 'Plan only'],
] as const;
const PROTOCOLS = [
  ['two_stage', 'Two-stage'],
  ['standard', 'Standard'],
] as const;

const Choices = ({ models, options, onChange }: ChoicesProps) => (
  <div className="choices">
    <Choice
      label="Mode"
      values={MODES}
      value={options.mode}
      onChange={(mode) => onChange({ ...options, mode })}
    />
    <Choice
      label="Protocol"
      values={PROTOCOLS}
      value={options.protocol}
      onChange={(protocol) => onChange({ ...options, protocol })}
    />
    {models.length > 1 && (
      <Choice
        label="Model"
        values={models.map((model) => [model, model] as const)}
        value={options.model ?? models[0] ?? ''}
        onChange={(model) => onChange({ ...options, model })}
      />
    )}
  </div>
);

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly values: readonly (readonly [value: T, words: string])[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

const Choice = <T extends string>({ label, values, value, onChange }: ChoiceProps<T>) => (
  <label className="choice">
    <span className="hidden">{label}</span>
    <select value={value} onChange={({ target }) => onChange(target.value as T)}>
      {values.map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  </label>
);
