import { parseFallbackSentence } from '../../contracts/wire/fallback-sentence.ts';
import type { AnswerEntry } from './answer-entry.ts';

/**
 * Returns the models of an answer in the order in which they were asked: `first`, then those that took over. If `first`
 * is unknown, the first notice of a fallback names it.
 */
export const modelsOfAnswer = (
  first: string | undefined,
  entries: readonly AnswerEntry[],
): readonly string[] => {
  const fallbacks = entries
    .filter((entry) => entry.kind === 'notice')
    .filter(({ notice }) => notice === 'model_fallback')
    .map(({ text }) => parseFallbackSentence(text))
    .filter((fallback) => fallback !== undefined);
  const models = [first ?? fallbacks[0]?.unavailable, ...fallbacks.map(({ model }) => model)];
  return models.filter((model) => model !== undefined);
};
