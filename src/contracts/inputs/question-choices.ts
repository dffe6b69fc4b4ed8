import { parseJson } from '../values/parse-json.ts';
import { fieldsOf } from '../values/unchecked-value.ts';

/** The choices of a question, as the model has written them. A question that is answered in words has no options. */
export interface QuestionChoices {
  readonly options: readonly string[];
  readonly allowsMultiple: boolean;
}

/**
 * Reads the choices from the arguments of a question, which are JSON text that a model has written. Options that are
 * not texts are left out, and arguments that are not a JSON object have no choices.
 */
export const parseChoices = (argumentsText: string | undefined): QuestionChoices => {
  const { options, multiple } = fieldsOf(parseJson(argumentsText ?? ''));
  const listed: readonly unknown[] = Array.isArray(options) ? options : [];
  return {
    options: listed.filter((option): option is string => typeof option === 'string'),
    allowsMultiple: multiple === true,
  };
};
