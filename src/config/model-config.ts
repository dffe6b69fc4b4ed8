import type { Prices } from '../contracts/model/model-price.ts';
import type { ModelFacts } from '../contracts/model/model-facts.ts';
import { fallbacksOf } from './files/model-fallbacks.ts';
import { resolveModel } from './settings/model-provider.ts';
import type { DescribedModel, DescribedModels } from './files/models-file.ts';
import type { Settings } from './settings/settings.ts';

/** What the configuration of the model needs besides the settings. */
export interface ModelFiles {
  readonly prices: Prices;
  readonly models: DescribedModels;
  /** True when this process may hold the model's key; see `resolveModel`. */
  readonly mayHoldKey: boolean;
}

/** Returns the model that turns use by default, the others that they may ask for, and the models that take over. */
export const modelConfigOf = (settings: Settings, { mayHoldKey, models, prices }: ModelFiles) => {
  const resolved = resolveModel({
    mayHoldKey,
    described: models,
    provider: settings.ORION_MODEL_PROVIDER,
    model: settings.ORION_MODEL,
    baseUrl: settings.OPENAI_BASE_URL,
    apiKey: settings.OPENAI_API_KEY,
  });
  const others = (settings.ORION_MODELS ?? [...models.keys()]).filter((name) => name !== resolved.model);
  const offered = [resolved.model, ...new Set(others)] as const;
  const fallbacks = new Map(offered.map((name) => [name, fallbacksOf(models, name)]));
  const calledModels = new Set(
    [...fallbacks].flatMap(([name, row]) => [name, ...row.map(({ model }) => model)]),
  );
  return {
    ...resolved,
    /** What the models file says of each model. A model without a connection of its own is reached at `baseUrl`. */
    described: models,
    /** The models that turns may ask for; the first one is the default. */
    offered,
    /** The models that take over the calls of each offered model, in the order in which they are tried. */
    fallbacks,
    facts: offered.map((name) => factsOf(name, models.get(name))),
    /** Models that may be called, fallbacks included, but have no price. A budget requires that there are none. */
    unpriced: [...calledModels].filter((name) => !prices.has(name)),
    idleTimeoutMs: settings.MODEL_IDLE_TIMEOUT_MS,
    totalTimeoutMs: settings.MODEL_TOTAL_TIMEOUT_MS,
  };
};

const factsOf = (name: string, described: DescribedModel | undefined): ModelFacts => ({
  name,
  contextWindow: described?.contextWindow ?? null,
  vision: described?.vision ?? null,
  fallback: described?.fallback ?? null,
});
