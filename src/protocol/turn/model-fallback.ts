import type { FallbackModel } from '../../contracts/model/fallback-model.ts';

/** The model that takes over a call, and those that may after it. */
export interface Takeover extends FallbackModel {
  readonly left: readonly FallbackModel[];
}

/**
 * Chooses the model, of those that are left, that takes over a call with a prompt of so many tokens: the first whose
 * prompts may have as many. Undefined: none. Each is asked at most once, since those before it are left out of what
 * remains.
 */
export const takeoverOf = (left: readonly FallbackModel[], promptTokens: number): Takeover | undefined => {
  const at = left.findIndex((next) => next.promptTokens >= promptTokens);
  const next = left[at];
  return next && { ...next, left: left.slice(at + 1) };
};
