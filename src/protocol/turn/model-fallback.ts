import type { FallbackModel } from '../../contracts/model/fallback-model.ts';

/** The model that takes over a call, and those that may after it. */
export interface Takeover extends FallbackModel {
  readonly remaining: readonly FallbackModel[];
}

/**
 * Chooses the model that takes over a call with a prompt of `promptTokens`: the first of `left` whose window may have
 * as many. Undefined when there is none. Each is called at most once: `remaining` of the result leaves out it and those
 * before it.
 */
export const chooseTakeover = (
  left: readonly FallbackModel[],
  promptTokens: number,
): Takeover | undefined => {
  const at = left.findIndex((next) => next.promptTokens >= promptTokens);
  const next = left[at];
  return next && { ...next, remaining: left.slice(at + 1) };
};
