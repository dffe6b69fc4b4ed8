import type { FallbackModel } from '../../contracts/model/fallback-model.ts';
import { MAX_ANSWER_TOKENS } from '../../contracts/model/model-message.ts';

/** A step of a turn has 98 attempts: the model itself and three others, with twenty for each, stay below that. */
const MAX_FALLBACKS = 3;

interface Described {
  readonly contextWindow: number | undefined;
  readonly fallback: string | undefined;
}

/**
 * Returns why the fallbacks of models cannot be used. One may be unknown or have no window, there may be too many, or
 * they may form a circle. `unusable` are models with other problems.
 */
export const fallbackProblems = (
  models: ReadonlyMap<string, Described>,
  unusable: ReadonlySet<string>,
): string[] =>
  [...models].flatMap(([name, { fallback }]) => {
    if (fallback === undefined || unusable.has(fallback)) return [];
    const place = `${name} › fallback`;
    const next = models.get(fallback);
    if (next === undefined) {
      return [`${place}: expected a model of this file, received ${JSON.stringify(fallback)}`];
    }
    const chain = chainOf(models, name);
    if (new Set(chain).size < chain.length) {
      return [`${place}: expected models that do not come back, received ${chain.join(' › ')}`];
    }
    if (chain.length - 1 > MAX_FALLBACKS) {
      return [`${place}: expected at most ${MAX_FALLBACKS} in a row, received ${chain.join(' › ')}`];
    }
    if (next.contextWindow !== undefined) return [];
    return [
      `${fallback} › contextWindow: expected tokens, since it is the fallback of ${name}, received nothing`,
    ];
  });

/** Returns a model and its fallbacks, as far as they are known, up to the first that comes back. */
const chainOf = (models: ReadonlyMap<string, Described>, first: string): readonly string[] => {
  const chain: string[] = [];
  for (
    let at: string | undefined = first;
    at !== undefined && models.has(at);
    at = models.get(at)?.fallback
  ) {
    const isBack = chain.includes(at);
    chain.push(at);
    if (isBack) break;
  }
  return chain;
};

/**
 * Returns the models that take over calls of a model, in the order in which they are tried, with what their prompts may
 * have.
 */
export const fallbacksOf = (
  models: ReadonlyMap<string, Described>,
  model: string,
): readonly FallbackModel[] =>
  chainOf(models, model)
    .slice(1)
    .map((name) => ({
      model: name,
      promptTokens: Math.max(0, (models.get(name)?.contextWindow ?? 0) - MAX_ANSWER_TOKENS),
    }));
