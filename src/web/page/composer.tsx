import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { ProtocolName } from '../../contracts/turn-facts.ts';
import type { TurnMode } from '../../contracts/tool-call.ts';
import { stopTurn } from '../server/requests.ts';

/** How a message is to be answered. */
export interface AskOptions {
  readonly mode: TurnMode;
  readonly protocol: ProtocolName;
  readonly model: string | undefined;
}

interface ComposerProps {
  readonly models: readonly string[];
  /** The turn that runs here, if one does. */
  readonly runningTurn: string | undefined;
  readonly onSend: (content: string, options: AskOptions) => void;
}

/** Where a person writes: Enter sends, Shift and Enter begin a line. */
export const Composer = ({ models, runningTurn, onSend }: ComposerProps) => {
  const [text, setText] = useState('');
  const [options, setOptions] = useState<AskOptions>({
    mode: 'act',
    protocol: 'two_stage',
    model: undefined,
  });
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const send = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault();
    if (text.trim() === '' || runningTurn !== undefined) return;
    onSend(text, options);
    setText('');
  };
  const onKey = (event: KeyboardEvent): void => {
    // Enter that ends a word of an input method is not one of the text.
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) send(event);
  };
  return (
    <form className="composer" onSubmit={send}>
      <label className="hidden" htmlFor="message">
        Message
      </label>
      <textarea
        id="message"
        ref={field}
        rows={1}
        dir="auto"
        value={text}
        placeholder="Ask Orion …"
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKey}
      />
      <div className="bar">
        <Choices models={models} options={options} onChange={setOptions} />
        <SendOrStop runningTurn={runningTurn} isEmpty={text.trim() === ''} />
      </div>
    </form>
  );
};

const SendOrStop = ({ runningTurn, isEmpty }: { runningTurn: string | undefined; isEmpty: boolean }) =>
  runningTurn === undefined ? (
    <button type="submit" className="main" disabled={isEmpty}>
      Send
    </button>
  ) : (
    <button type="button" className="main stop" onClick={() => void stopTurn(runningTurn)}>
      Stop
    </button>
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
