import { hasBoundKeys, type ApiKey } from '../access/api-keys.ts';
import { readApiKeys } from '../access/key-file.ts';
import { ConfigError } from '../base/errors/config-error.ts';
import { errorMessage } from '../contracts/values/error-message.ts';
import type { ModelPrice, Prices } from '../contracts/model/model-price.ts';
import type { Setting } from '../contracts/http/info-api.ts';
import { readApprovalRules } from './files/approvals-file.ts';
import { foldersOf, toConfig, type Config, type GatewayConfig, type ServiceConfig } from './config.ts';
import { DEMO_MODEL } from './settings/model-provider.ts';
import { listSettings } from './settings/list-settings.ts';
import { readSettings, type Environment, type SettingsGroup } from './settings/load-settings.ts';
import { readMcpServers } from './files/mcp-servers.ts';
import { type DescribedModels, readModels } from './files/models-file.ts';
import { readPrices } from './files/prices-file.ts';
import { readProjects } from './files/projects-file.ts';
import { variablesOf } from './settings/setting-readers.ts';
import {
  settingAliases,
  secretSettings,
  settingsSchema,
  type SettingName,
  type Settings,
} from './settings/settings.ts';
import { readTemporal, type TemporalSettings } from './temporal-connection.ts';
import { checkWorkspace } from './workspace-folders.ts';

const group = {
  schema: settingsSchema,
  aliases: settingAliases,
  secrets: secretSettings,
} satisfies SettingsGroup;

const PROVIDED_BY_STACK: readonly SettingName[] = ['DATABASE_URL', 'ORION_INTERNAL_TOKEN'];

const tryReadTemporal = (
  env: Environment,
  settings: Settings | undefined,
  problems: string[],
): TemporalSettings | undefined => {
  try {
    return readTemporal(env, settings);
  } catch (error) {
    if (error instanceof ConfigError) problems.push(...error.problems);
    else problems.push(`TEMPORAL_*: ${errorMessage(error)}`);
    return undefined;
  }
};

/** A profile file may hold the address as well, so its variable cannot be required by itself. */
const requireAddress = (temporal: TemporalSettings | undefined, problems: string[]): void => {
  if (temporal === undefined || temporal.address !== undefined) return;
  problems.push('TEMPORAL_ADDRESS: expected host:port, received nothing');
};

/**
 * Returns the file that the environment names; read only from the environment, since settings are unknown while any of
 * them is wrong.
 */
const fileNamedBy = (env: Environment, variable: string): string | undefined =>
  env[variable]?.trim() || undefined;

/**
 * Reads the keys to check that this is possible, and what they are bound to; the gateway that uses them reads them
 * again.
 */
const tryReadKeys = (env: Environment, problems: string[]): readonly ApiKey[] => {
  const path = fileNamedBy(env, 'ORION_API_KEYS_FILE');
  if (path === undefined) return [];
  try {
    return readApiKeys(path);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return [];
  }
};

/** A gateway knows the keys and a worker does not: without the setting, each could look for files in another place. */
const requireSameFolders = (settings: Settings, keys: readonly ApiKey[], problems: string[]): void => {
  if (settings.ORION_PROJECT_FOLDERS !== undefined || !hasBoundKeys(keys)) return;
  problems.push(
    'ORION_PROJECT_FOLDERS: expected on (or off, if every key may open the files of every project), the same for gateways and workers, since API keys are bound to projects; received nothing',
  );
};

/**
 * Adds a problem for each secret that commands would be given: a secret is never shown, and given to no command either.
 */
const requireNoSecrets = ({ ORION_COMMAND_ENV: names = [] }: Settings, problems: string[]): void => {
  const given = names.filter((name) => secretSettings.some((secret) => secret === name));
  if (given.length === 0) return;
  problems.push(`ORION_COMMAND_ENV: expected none of Orion's own secrets, received ${given.join(', ')}`);
};

/** The parts that a process reads beside its settings: each gets no more secrets than it uses. */
interface Needs {
  /** True when the addresses of the servers and the token must be set. */
  readonly needsServers: boolean;
  /** True when this process or a child is a gateway, and reads its files: API keys and projects. */
  readonly runsGateway: boolean;
  /** True when this process or a child calls models and MCP servers, and holds the secrets that they need. */
  readonly runsWorker: boolean;
}

/** Workers send messages and need the secret; gateways get no secret. */
const requireWebhook = (settings: Settings, problems: string[]): void => {
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

/** Each model has an address: the one in the models file, or the one for all models that are not in it. */
const requireAddresses = (settings: Settings, models: DescribedModels, problems: string[]): void => {
  const {
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: url,
    ORION_MODEL: model,
    ORION_MODELS: others = [],
  } = settings;
  if (models.size === 0 || (key ?? url) !== undefined) return;
  const called = new Set([...(model === undefined ? [] : [model]), ...others, ...models.keys()]);
  const unknown = [...called].filter((name) => models.get(name)?.connection === undefined);
  if (unknown.length === 0) return;
  problems.push(
    `ORION_MODELS_FILE: expected baseUrl or provider of every model, since neither OPENAI_API_KEY nor OPENAI_BASE_URL is set, received none of ${unknown.join(', ')}`,
  );
};

/** The demo model runs on this machine. */
const FREE: ModelPrice = { input: 0, cached: 0, cacheWrite: 0, output: 0 };

/** Returns prices by model. Those of the models file win. */
const pricesOf = (prices: Prices, models: DescribedModels): Prices =>
  new Map([
    [DEMO_MODEL, FREE],
    ...prices,
    ...[...models].flatMap(([name, { price }]) => (price === undefined ? [] : [[name, price] as const])),
  ]);

/** A budget that counts only some models is no budget. Throws ConfigError. */
const requirePrices = ({ turns, model: { unpriced } }: Config, keys: readonly ApiKey[]): void => {
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

const load = (env: Environment, needs: Needs): { settings: Settings; config: Config } => {
  const problems: string[] = [];
  const required = needs.needsServers ? PROVIDED_BY_STACK : [];
  const settings = readSettings(group, env, required, problems);
  const temporal = tryReadTemporal(env, settings, problems);
  if (needs.needsServers) requireAddress(temporal, problems);
  const keys = needs.runsGateway ? tryReadKeys(env, problems) : [];
  const projectsFile = needs.runsGateway ? fileNamedBy(env, 'ORION_PROJECTS_FILE') : undefined;
  const projects = readProjects(projectsFile, problems);
  const approvalsFile = needs.runsGateway ? fileNamedBy(env, 'ORION_APPROVALS_FILE') : undefined;
  const approvalRules = readApprovalRules(approvalsFile, problems);
  const models = readModels(fileNamedBy(env, 'ORION_MODELS_FILE'), needs.runsWorker, problems);
  const prices = pricesOf(readPrices(fileNamedBy(env, 'ORION_PRICES_FILE'), problems), models);
  const mcpFile = needs.runsWorker ? fileNamedBy(env, 'ORION_MCP_CONFIG') : undefined;
  const mcpServers = readMcpServers(mcpFile, env, problems);
  if (settings !== undefined) {
    checkWorkspace({ ...foldersOf(settings), isNamed: settings.ORION_WORKSPACE !== undefined }, problems);
    requireNoSecrets(settings, problems);
    if (needs.needsServers) requireSameFolders(settings, keys, problems);
    if (needs.runsWorker) requireWebhook(settings, problems);
    if (needs.runsWorker) requireAddresses(settings, models, problems);
  }
  if (settings === undefined || temporal === undefined || problems.length > 0) {
    throw new ConfigError(problems);
  }
  const files = { mcpServers, projects, approvalRules, prices, models, keys };
  const read = { temporal, ...files, mayHoldKey: needs.runsWorker };
  const config = toConfig(settings, read);
  requirePrices(config, keys);
  return { settings, config };
};

/** Returns the configuration of `npm start`, out of its environment. Throws ConfigError with every problem at once. */
export const loadConfig = (env: Environment): Config =>
  load(env, { needsServers: false, runsGateway: true, runsWorker: true }).config;

/**
 * Returns the configuration of a worker: what `npm start` would otherwise provide must be set. It reads no API keys.
 * Throws as `loadConfig` does.
 */
export const loadServiceConfig = (env: Environment): ServiceConfig =>
  load(env, { needsServers: true, runsGateway: false, runsWorker: true }).config as ServiceConfig;

/**
 * Returns the configuration of a gateway: the files of API keys and projects must be usable, if there are any. It holds
 * no key of a model or MCP server.
 */
export const loadGatewayConfig = (env: Environment): GatewayConfig => {
  const { settings, config } = load(env, { needsServers: true, runsGateway: true, runsWorker: false });
  const isRead = new Set(variablesOf('gateway'));
  // Settings that only workers are given would show as unset.
  const shown = listSettings(group, settings, env).filter(({ name }) => isRead.has(name));
  return { ...(config as ServiceConfig), settings: shown };
};

/** Returns every setting that `npm start` would use in this environment, secrets masked. Throws ConfigError. */
export const listConfig = (env: Environment): readonly Setting[] =>
  listSettings(group, load(env, { needsServers: false, runsGateway: true, runsWorker: true }).settings, env);
