import type { FallbackModel } from '../../src/contracts/model/fallback-model.ts';

/** The model that takes over a call. `remaining` are the models that may take over after it. */
export interface ChosenFallback extends FallbackModel {
  readonly remaining: readonly FallbackModel[];
}

/**
 * Chooses the model that takes over a call with a prompt of `promptTokens`: the first of `left` whose prompts may have
 * that many tokens. Returns undefined if there is none. A step calls each model at most once, so `remaining` has only
 * the models after the chosen one.
 */
export const chooseFallback = (
  left: readonly FallbackModel[],
  promptTokens: number,
): ChosenFallback | undefined => {
  const index = left.findIndex((next) => next.promptTokens >= promptTokens);
  const next = left[index];
  return next && { ...next, remaining: left.slice(index + 1) };
};
