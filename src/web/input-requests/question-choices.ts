/** The choices of a question, as the model has written them. */
export interface QuestionChoices {
  readonly options: readonly string[];
  readonly allowsMultiple: boolean;
}

/**
 * Reads the choices from the arguments of a question, which are JSON text that a model has written. Invalid arguments
 * have no choices.
 */
export const parseChoices = (argumentsText: string | undefined): QuestionChoices => {
  try {
    const parsed = JSON.parse(argumentsText ?? '{}') as { options?: unknown; multiple?: unknown } | null;
    const options = Array.isArray(parsed?.options) ? parsed.options : [];
    return {
      options: options.filter((option): option is string => typeof option === 'string'),
      allowsMultiple: parsed?.multiple === true,
    };
  } catch {
    return { options: [], allowsMultiple: false };
  }
};
