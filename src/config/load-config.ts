import type { ApiKey } from '../access/api-keys.ts';
import { readApiKeys } from '../access/key-file.ts';
import { ConfigError } from '../base/errors/config-error.ts';
import { errorMessage } from '../contracts/values/error-message.ts';
import type { ModelPrice, Prices } from '../contracts/model/model-price.ts';
import type { Setting } from '../contracts/values/setting.ts';
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
  SETTING_ALIASES,
  SECRET_SETTINGS,
  settingsSchema,
  type SettingName,
  type Settings,
} from './settings/settings.ts';
import { readTemporal, type TemporalSettings } from './temporal-connection.ts';
import { requireUsableWorkspace } from './workspace-folders.ts';
import {
  requireTemporalAddress,
  requireSameFolders,
  requireNoSecrets,
  requireWebhook,
  requireModelAddresses,
  requirePrices,
} from './config-rules.ts';

const group = {
  schema: settingsSchema,
  aliases: SETTING_ALIASES,
  secrets: SECRET_SETTINGS,
} satisfies SettingsGroup;

/**
 * Settings that `npm start` provides to its gateway and workers. A process that is started on its own must be given
 * them.
 */
const PROVIDED_BY_STACK: readonly SettingName[] = ['DATABASE_URL', 'ORION_INTERNAL_TOKEN'];

/**
 * Returns the configuration of `npm start` from `env`. Throws ConfigError with every problem at once, except missing
 * prices, which are checked last.
 */
export const loadConfig = (env: Environment): Config =>
  load(env, { needsServers: false, runsGateway: true, runsWorker: true }).config;

/**
 * Returns the configuration of a worker. What `npm start` would otherwise provide must be set. The files of API keys,
 * projects and approvals are not read. Throws as `loadConfig` does.
 */
export const loadServiceConfig = (env: Environment): ServiceConfig =>
  // `needsServers` has made sure that address, database and token are set.
  load(env, { needsServers: true, runsGateway: false, runsWorker: true }).config as ServiceConfig;

/**
 * Returns the configuration of a gateway. The files of API keys, projects and approvals must be usable, if there are
 * any. Key files of models and the file of MCP servers are not read. Throws as `loadConfig` does.
 */
export const loadGatewayConfig = (env: Environment): GatewayConfig => {
  const { settings, config } = load(env, { needsServers: true, runsGateway: true, runsWorker: false });
  const isRead = new Set(variablesOf('gateway'));
  // Settings that only workers receive would show as unset here.
  const shownSettings = listSettings(group, settings, env).filter(({ name }) => isRead.has(name));
  return { ...(config as ServiceConfig), settings: shownSettings };
};

/**
 * Returns every setting that `npm start` would use in this environment, secrets masked. Throws as `loadConfig` does.
 */
export const listConfig = (env: Environment): readonly Setting[] =>
  listSettings(group, load(env, { needsServers: false, runsGateway: true, runsWorker: true }).settings, env);

/** What a process needs and reads. No process reads secrets that it does not use. */
interface Needs {
  /** True when the shared token and the addresses of Postgres and Temporal must be configured. */
  readonly needsServers: boolean;
  /** True when this process or a child is a gateway, and reads its files: API keys, projects and rules of approvals. */
  readonly runsGateway: boolean;
  /** True when this process or a child calls models and MCP servers, and holds the secrets that they need. */
  readonly runsWorker: boolean;
}

/**
 * Reads the settings and the files that they name. Throws ConfigError with all of their problems at once. Missing
 * prices are reported only when there are no other problems, because which models may be called follows from the
 * configuration.
 */
const load = (env: Environment, needs: Needs): { settings: Settings; config: Config } => {
  const problems: string[] = [];
  const required = needs.needsServers ? PROVIDED_BY_STACK : [];
  const settings = readSettings(group, env, required, problems);
  const temporal = tryReadTemporal(env, settings, problems);
  if (needs.needsServers) requireTemporalAddress(temporal, problems);
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
    requireUsableWorkspace(
      { ...foldersOf(settings), isNamed: settings.ORION_WORKSPACE !== undefined },
      problems,
    );
    requireNoSecrets(settings, problems);
    if (needs.needsServers) requireSameFolders(settings, keys, problems);
    if (needs.runsWorker) requireWebhook(settings, problems);
    if (needs.runsWorker) requireModelAddresses(settings, models, problems);
  }
  if (settings === undefined || temporal === undefined || problems.length > 0) {
    throw new ConfigError(problems);
  }
  const contents = { mcpServers, projects, approvalRules, prices, models, keys };
  const files = { temporal, ...contents, mayHoldKey: needs.runsWorker };
  const config = toConfig(settings, files);
  requirePrices(config, keys);
  return { settings, config };
};

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

/**
 * Reads the API keys, to check the file and to learn what the keys are bound to. The gateway reads them again to use
 * them. Returns none if there is no file, or if it has problems, which are added to `problems`.
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

/**
 * Returns the path that a variable holds, or undefined if it is unset or empty. It is read from `env`, because
 * `readSettings` returns no settings while one is wrong, and problems of the file are to be reported together with
 * problems of settings.
 */
const fileNamedBy = (env: Environment, variable: string): string | undefined =>
  env[variable]?.trim() || undefined;

/** Price of the demo model, which runs on this machine. */
const FREE: ModelPrice = { input: 0, cached: 0, cacheWrite: 0, output: 0 };

/** Returns prices by model. Those of the models file win over those of the prices file. */
const pricesOf = (prices: Prices, models: DescribedModels): Prices =>
  new Map([
    [DEMO_MODEL, FREE],
    ...prices,
    ...[...models].flatMap(([name, { price }]) => (price === undefined ? [] : [[name, price] as const])),
  ]);
