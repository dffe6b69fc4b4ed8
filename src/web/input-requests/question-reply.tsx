import { type FormEvent, useId, useState } from 'react';
import { parseChoices } from '../../contracts/inputs/question-choices.ts';
import type { InputRequested } from '../../contracts/wire/input-events.ts';
import type { SendReply } from './reply-words.ts';

/** Offers the options that the model has named, if any, and always a field for other words. */
export const QuestionReply = ({ request, onReply }: { request: InputRequested; onReply: SendReply }) => {
  const { options, allowsMultiple } = parseChoices(request.arguments);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [words, setWords] = useState('');
  const content = [...chosen, words.trim()].filter(Boolean).join(', ');
  const choose = (option: string, isChosen: boolean): void => {
    const others = allowsMultiple ? chosen.filter((each) => each !== option) : [];
    setChosen(isChosen ? [...others, option] : others);
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (content !== '') onReply({ reply: 'answer', content });
  };
  return (
    <form className="question-reply" onSubmit={onSubmit}>
      <Options {...{ options, allowsMultiple, chosen }} onChoose={choose} />
      <div className="replies">
        <input
          type="text"
          dir="auto"
          aria-label={options.length > 0 ? 'Other words' : 'Your answer'}
          placeholder={options.length > 0 ? 'Or in other words' : 'Your answer'}
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
        <button type="submit" className="main" disabled={content === ''}>
          Answer
        </button>
        <button type="button" onClick={() => onReply({ reply: 'deny' })}>
          No answer
        </button>
      </div>
    </form>
  );
};

interface OptionsProps {
  readonly options: readonly string[];
  readonly allowsMultiple: boolean;
  readonly chosen: readonly string[];
  readonly onChoose: (option: string, isChosen: boolean) => void;
}

const Options = ({ options, allowsMultiple, chosen, onChoose }: OptionsProps) => {
  const name = useId();
  return options.map((option) => (
    <label key={option} className="option" dir="auto">
      <input
        type={allowsMultiple ? 'checkbox' : 'radio'}
        name={name}
        checked={chosen.includes(option)}
        onChange={({ target }) => onChoose(option, target.checked)}
      />
      {option}
    </label>
  ));
};
