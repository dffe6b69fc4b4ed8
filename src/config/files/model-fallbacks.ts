import type { FallbackModel } from '../../contracts/model/fallback-model.ts';
import { MAX_ANSWER_TOKENS } from '../../contracts/model/model-message.ts';

/**
 * The longest chain of fallbacks. A step has at most `MAX_STEP_ATTEMPTS` attempts, and each model of the chain gets up
 * to 20 of them, so a model and three fallbacks use at most 80.
 */
const MAX_FALLBACKS = 3;

interface ModelWithFallback {
  readonly contextWindow: number | undefined;
  readonly fallback: string | undefined;
}

/**
 * Returns the problems with the fallbacks of models, one line each. A fallback may be missing from the file, lack a
 * context window, or make a chain that is too long or leads back to one of its own models. `unusable` are the models
 * whose entries have other problems. A fallback to one of them is not reported again.
 */
export const fallbackProblems = (
  models: ReadonlyMap<string, ModelWithFallback>,
  unusable: ReadonlySet<string>,
): string[] =>
  [...models].flatMap(([name, { fallback }]) => {
    if (fallback === undefined || unusable.has(fallback)) return [];
    const place = `${name} › fallback`;
    const next = models.get(fallback);
    if (next === undefined) {
      return [`${place}: expected a model of this file, received ${JSON.stringify(fallback)}`];
    }
    const chain = fallbackChainOf(models, name);
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

/**
 * Returns the chain that begins with a model: its fallback, the fallback of that one, and so on, as far as `models`
 * knows them. If the chain leads back to one of its models, it ends with the second occurrence of that model.
 */
const fallbackChainOf = (
  models: ReadonlyMap<string, ModelWithFallback>,
  first: string,
): readonly string[] => {
  const chain: string[] = [];
  for (
    let model: string | undefined = first;
    model !== undefined && models.has(model);
    model = models.get(model)?.fallback
  ) {
    const isRepeated = chain.includes(model);
    chain.push(model);
    if (isRepeated) break;
  }
  return chain;
};

/**
 * Returns the models that take over calls of a model, in the order in which they are tried. `promptTokens` is the size
 * of the largest prompt that leaves room for the longest answer.
 */
export const fallbacksOf = (
  models: ReadonlyMap<string, ModelWithFallback>,
  model: string,
): readonly FallbackModel[] =>
  fallbackChainOf(models, model)
    .slice(1)
    .map((name) => ({
      model: name,
      promptTokens: Math.max(0, (models.get(name)?.contextWindow ?? 0) - MAX_ANSWER_TOKENS),
    }));
