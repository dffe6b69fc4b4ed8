import { hasBoundKeys, type ApiKey } from '../access/api-keys.ts';
import { ConfigError } from '../base/errors/config-error.ts';
import type { Config } from './config.ts';
import type { DescribedModels } from './files/models-file.ts';
import { SECRET_SETTINGS, type Settings } from './settings/settings.ts';
import type { TemporalSettings } from './temporal-connection.ts';

/**
 * Adds a problem if no address of Temporal is known. TEMPORAL_ADDRESS is not simply required, because a profile file
 * may contain the address instead.
 */
export const requireTemporalAddress = (temporal: TemporalSettings | undefined, problems: string[]): void => {
  if (temporal === undefined || temporal.address !== undefined) return;
  problems.push('TEMPORAL_ADDRESS: expected host:port, received nothing');
};

/**
 * Adds a problem if keys are bound to projects and ORION_PROJECT_FOLDERS is unset. Its default follows from the keys,
 * which a gateway knows and a worker does not, so the two could look for files in different places.
 */
export const requireSameFolders = (settings: Settings, keys: readonly ApiKey[], problems: string[]): void => {
  if (settings.ORION_PROJECT_FOLDERS !== undefined || !hasBoundKeys(keys)) return;
  problems.push(
    'ORION_PROJECT_FOLDERS: expected on (or off, if every key may open the files of every project), the same for gateways and workers, since API keys are bound to projects; received nothing',
  );
};

/** Adds a problem if ORION_COMMAND_ENV names secrets of Orion, which no command may receive. */
export const requireNoSecrets = ({ ORION_COMMAND_ENV: names = [] }: Settings, problems: string[]): void => {
  const secrets = names.filter((name) => SECRET_SETTINGS.some((secret) => secret === name));
  if (secrets.length === 0) return;
  problems.push(`ORION_COMMAND_ENV: expected none of Orion's own secrets, received ${secrets.join(', ')}`);
};

/**
 * Adds a problem if only one of the webhook's address and secret is set. It is not called for a gateway, which gets no
 * secret.
 */
export const requireWebhook = (settings: Settings, problems: string[]): void => {
  const { ORION_WEBHOOK_URL: url, ORION_WEBHOOK_SECRET: secret } = settings;
  if (url !== undefined && secret === undefined) {
    problems.push(
      'ORION_WEBHOOK_SECRET: expected whsec_ and a key in base64, since ORION_WEBHOOK_URL is set',
    );
  }
  if (url === undefined && secret !== undefined) {
    problems.push('ORION_WEBHOOK_URL: expected an address, since ORION_WEBHOOK_SECRET is set');
  }
};

/**
 * Adds a problem if a model would have no address. A model needs an address of its own in the models file, or the
 * address for all models that are not in that file.
 */
export const requireModelAddresses = (
  settings: Settings,
  models: DescribedModels,
  problems: string[],
): void => {
  const {
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: url,
    ORION_MODEL: model,
    ORION_MODELS: others = [],
  } = settings;
  if (models.size === 0 || (key ?? url) !== undefined) return;
  const called = new Set([...(model === undefined ? [] : [model]), ...others, ...models.keys()]);
  const withoutAddress = [...called].filter((name) => models.get(name)?.connection === undefined);
  if (withoutAddress.length === 0) return;
  problems.push(
    `ORION_MODELS_FILE: expected baseUrl or provider of every model, since neither OPENAI_API_KEY nor OPENAI_BASE_URL is set, received none of ${withoutAddress.join(', ')}`,
  );
};

/**
 * Throws ConfigError if there is a budget and a model without a price, because the budget could not count the cost of
 * that model.
 */
export const requirePrices = ({ turns, model: { unpriced } }: Config, keys: readonly ApiKey[]): void => {
  const budgets = [
    ...(turns.maxTurnCost === undefined ? [] : ['MAX_TURN_COST']),
    ...keys.flatMap(({ name, costPerDay }) => (costPerDay === undefined ? [] : [`costPerDay of ${name}`])),
  ];
  const [budget] = budgets;
  if (budget === undefined || unpriced.length === 0) return;
  throw new ConfigError([
    `ORION_PRICES_FILE: expected a price of every model, since there is a budget (${budget}), received none of ${unpriced.join(', ')}`,
  ]);
};
