/*
 * The sentence of a `model_fallback` notice. Events carry the names of models in no field of their own, so a client
 * that shows which models gave an answer reads them from this sentence.
 */

/** Which model a step has lost, and which one answers in its place. */
export interface ModelFallback {
  readonly unavailable: string;
  readonly model: string;
}

/**
 * Returns the sentence that tells readers that another model answers. Names that contain white space cannot be read
 * from it.
 */
export const fallbackSentence = ({ unavailable, model }: ModelFallback): string =>
  `The model ${unavailable} is not available; ${model} answers.`;

const FALLBACK_SENTENCE = /The model (?<unavailable>\S+) is not available; (?<model>\S+) answers\./;

/** Reads the models from a text that contains a `fallbackSentence`. Returns undefined for any other text. */
export const parseFallbackSentence = (text: string): ModelFallback | undefined => {
  const { unavailable, model } = FALLBACK_SENTENCE.exec(text)?.groups ?? {};
  return unavailable === undefined || model === undefined ? undefined : { unavailable, model };
};
