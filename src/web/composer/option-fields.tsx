import type { MessageOptions } from './message-options.ts';

interface OptionFieldsProps {
  readonly models: readonly string[];
  readonly options: MessageOptions;
  readonly onChange: (options: MessageOptions) => void;
}

const MODES = [
  ['act', 'Act'],
  ['plan', 'Plan only'],
] as const;
const PROTOCOLS = [
  ['two_stage', 'Two-stage'],
  ['standard', 'Standard'],
] as const;

/** Lets a person choose mode, protocol and model of the next message. */
export const OptionFields = ({ models, options, onChange }: OptionFieldsProps) => (
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
