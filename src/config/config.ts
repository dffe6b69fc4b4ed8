import { resolve } from 'node:path';
import { errorMessage } from '../base/error-message.ts';
import { budgetsSchema, type Budgets } from '../contracts/budgets.ts';
import type { Setting } from '../contracts/http/info.ts';
import { areBound, type ApiKey } from '../access/api-keys.ts';
import { readApiKeys } from '../access/key-file.ts';
import { ConfigError } from '../base/config-error.ts';
import { LOOPBACK_HOSTS } from '../base/foreign-request.ts';
import { readSettings, type Environment, type SettingsGroup } from './load-settings.ts';
import { listSettings } from './list-settings.ts';
import { readMcpServers, type McpServerSettings } from './mcp-servers.ts';
import { resolveModel } from './model-provider.ts';

import { readProjects, type Projects } from './projects-file.ts';
import { variablesOf } from './setting-readers.ts';
import { aliases, secrets, settingsSchema, type SettingName, type Settings } from './settings.ts';
import { readTemporal, type TemporalSettings } from './temporal-connection.ts';
import { checkWorkspace } from './workspace-place.ts';

const group = { schema: settingsSchema, aliases, secrets } satisfies SettingsGroup;

const PROVIDED_BY_STACK: readonly SettingName[] = ['DATABASE_URL', 'ORION_INTERNAL_TOKEN'];

const budgetsOf = (settings: Settings): Budgets =>
  budgetsSchema.parse({
    maxPhaseCycles: settings.MAX_PHASE_CYCLES_PER_TURN,
    maxDuplicateAttempts: settings.MAX_DUPLICATE_ATTEMPTS_PER_TURN,
    maxMalformedCalls: settings.MAX_MALFORMED_CALLS,
    maxRefusals: settings.MAX_REFUSALS,
    maxNoProgress: settings.MAX_NO_PROGRESS,
    maxTurnMs: settings.MAX_TURN_MS,
    maxTurnTokens: settings.MAX_TURN_TOKENS,
    debugShowToolResults: settings.DEBUG_SHOW_TOOL_RESULTS,
  });

const httpOf = (settings: Settings) => ({
  host: settings.ORION_HOST,
  port: settings.ORION_PORT,
  allowedHosts: settings.ORION_ALLOWED_HOSTS ?? LOOPBACK_HOSTS,
  allowedOrigins: settings.ORION_ALLOWED_ORIGINS ?? [],
  turnsPerMinute: settings.RATE_LIMIT_TURNS_PER_MINUTE,
  maxStreamsPerClient: settings.MAX_STREAMS_PER_CLIENT,
  maxConnections: settings.ORION_MAX_CONNECTIONS,
  turnsPerKey: {
    two_stage: settings.MAX_TWO_STAGE_TURNS_PER_KEY,
    standard: settings.MAX_STANDARD_TURNS_PER_KEY,
  },
});

const turnsOf = (settings: Settings) => ({
  twoStageEnabled: settings.TWO_STAGE_ENABLED,
  toolResultRole: settings.TOOL_RESULT_ROLE,
  historyLimit: settings.CHAT_HISTORY_LIMIT,
  maxPhaseCyclesLimit: settings.MAX_PHASE_CYCLES_LIMIT,
  budgets: budgetsOf(settings),
});

const modelOf = (settings: Settings, mayHoldKey: boolean) => {
  const resolved = resolveModel({
    mayHoldKey,
    provider: settings.ORION_MODEL_PROVIDER,
    model: settings.ORION_MODEL,
    baseUrl: settings.OPENAI_BASE_URL,
    apiKey: settings.OPENAI_API_KEY,
  });
  const others = (settings.ORION_MODELS ?? []).filter((name) => name !== resolved.model);
  return {
    ...resolved,
    /** What turns may ask for; the first one is what they get otherwise. */
    offered: [resolved.model, ...new Set(others)] as const,
    idleTimeoutMs: settings.MODEL_IDLE_TIMEOUT_MS,
    totalTimeoutMs: settings.MODEL_TOTAL_TIMEOUT_MS,
  };
};

const workerOf = (settings: Settings) => ({
  identity: settings.ORION_WORKER_IDENTITY,
  workflowBundle: settings.ORION_WORKFLOW_BUNDLE,
  shutdownGraceMs: settings.WORKER_SHUTDOWN_GRACE_MS,
  heartbeatTimeoutMs: settings.MODEL_HEARTBEAT_TIMEOUT_MS,
});

/** `address` undefined: workers reach the gateway where it listens. */
const liveOf = (settings: Settings) => ({
  enabled: settings.LIVE_LANE,
  address: settings.ORION_LIVE_ADDRESS,
  /** Where workers may write, besides this machine. */
  allowedAddresses: [settings.ORION_LIVE_ADDRESS ?? [], settings.ORION_LIVE_ALLOWED_ADDRESSES ?? []].flat(),
  token: settings.ORION_INTERNAL_TOKEN,
});

const foldersOf = (settings: Settings) => {
  const dataDir = resolve(settings.ORION_DATA_DIR);
  return { dataDir, workspace: resolve(settings.ORION_WORKSPACE ?? resolve(dataDir, 'workspace')) };
};

/** `npm start` alone reads these. */
const stackOf = (settings: Settings) => ({
  workers: settings.ORION_WORKERS,
  temporalPort: settings.ORION_TEMPORAL_PORT,
  temporalUiPort: settings.ORION_TEMPORAL_UI_PORT,
  postgresPort: settings.ORION_POSTGRES_PORT,
});

const projectFoldersOf = (settings: Settings, keys: readonly ApiKey[]) => ({
  projectFolders: settings.ORION_PROJECT_FOLDERS ?? areBound(keys),
  /** Somebody said on or off, so that keys may be bound to projects whichever it is. */
  projectFoldersSaid: settings.ORION_PROJECT_FOLDERS !== undefined,
  keysAreBound: areBound(keys),
});

/** What else is known: what was read from files that settings name, and whose settings they are. */
interface ReadFiles {
  readonly temporal: TemporalSettings;
  readonly mcpServers: readonly McpServerSettings[];
  readonly projects: Projects;
  /** None where this process does not read them. */
  readonly keys: readonly ApiKey[];
  /** See `resolveModel`. */
  readonly mayHoldKey: boolean;
}

/** Settings by subject, with everything filled in that one setting implies for another. */
const toConfig = (settings: Settings, read: ReadFiles) => {
  const { temporal, mcpServers, projects, keys, mayHoldKey } = read;
  return {
    ...foldersOf(settings),
    ...projectFoldersOf(settings, keys),
    umask: Number.parseInt(settings.ORION_UMASK, 8),
    logLevel: settings.LOG_LEVEL,
    http: httpOf(settings),
    live: liveOf(settings),
    temporal,
    databaseUrl: settings.DATABASE_URL,
    model: modelOf(settings, mayHoldKey),
    turns: turnsOf(settings),
    worker: workerOf(settings),
    writeSessions: {
      maxContentBytes: settings.MAX_CONTENT_SIZE_BYTES,
      inactivityTimeoutMs: settings.SESSION_INACTIVITY_TIMEOUT_MS,
      maxConcurrent: settings.MAX_CONCURRENT_SESSIONS,
    },
    /** `minFreeBytes` undefined: by the size of the disk. */
    storage: {
      keyBytesPerDay: settings.ORION_KEY_BYTES_PER_DAY,
      minFreeBytes: settings.ORION_MIN_FREE_BYTES,
    },
    mcpServers,
    projects,
    mcpConfigFile: settings.ORION_MCP_CONFIG,
    apiKeysFile: settings.ORION_API_KEYS_FILE,
    retentionDays: settings.ORION_RETENTION_DAYS,
    metrics: { host: settings.ORION_METRICS_HOST, port: settings.ORION_METRICS_PORT },
    stack: stackOf(settings),
  };
};

/** Configuration of `npm start`: servers that it names no address for are started. */
export type Config = ReturnType<typeof toConfig>;

/** Configuration of a gateway or worker, which cannot run without the servers and the shared token. */
export type ServiceConfig = Config & {
  readonly databaseUrl: string;
  readonly temporal: { readonly address: string };
  readonly live: { readonly token: string };
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

/** A profile file may hold the address as well, so that its variable alone cannot be required. */
const requireAddress = (temporal: TemporalSettings | undefined, problems: string[]): void => {
  if (temporal === undefined || temporal.address !== undefined) return;
  problems.push('TEMPORAL_ADDRESS: expected host:port, received nothing');
};

/** From the environment itself: the settings are unknown while any of them is wrong. */
const fileNamedBy = (env: Environment, variable: string): string | undefined =>
  env[variable]?.trim() || undefined;

/** Keys are read again by the gateway that uses them; here it counts that they can be, and what they are bound to. */
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

/** A gateway knows the keys and a worker does not: left to itself, each would look for files in another place. */
const requireSameFolders = (settings: Settings, keys: readonly ApiKey[], problems: string[]): void => {
  if (settings.ORION_PROJECT_FOLDERS !== undefined || !areBound(keys)) return;
  problems.push(
    'ORION_PROJECT_FOLDERS: expected on (or off, if every key may open the files of every project), the same for gateways and workers, since API keys are bound to projects; received nothing',
  );
};

/** What a process reads beside its settings: each gets no more secrets than it uses. */
interface Needs {
  /** Their addresses and the token must be set. */
  readonly servers: boolean;
  /** This process or a child is a gateway, and reads its files: API keys and projects. */
  readonly gateway: boolean;
  /** This process or a child asks models and MCP servers, and holds the secrets that they want to see. */
  readonly worker: boolean;
}

const load = (env: Environment, needs: Needs): { settings: Settings; config: Config } => {
  const problems: string[] = [];
  const required = needs.servers ? PROVIDED_BY_STACK : [];
  const settings = readSettings(group, env, required, problems);
  const temporal = tryReadTemporal(env, settings, problems);
  if (needs.servers) requireAddress(temporal, problems);
  const keys = needs.gateway ? tryReadKeys(env, problems) : [];
  const projectsFile = needs.gateway ? fileNamedBy(env, 'ORION_PROJECTS_FILE') : undefined;
  const projects = readProjects(projectsFile, problems);
  const mcpFile = needs.worker ? fileNamedBy(env, 'ORION_MCP_CONFIG') : undefined;
  const mcpServers = readMcpServers(mcpFile, env, problems);
  if (settings !== undefined) {
    checkWorkspace({ ...foldersOf(settings), isNamed: settings.ORION_WORKSPACE !== undefined }, problems);
    if (needs.servers) requireSameFolders(settings, keys, problems);
  }
  if (settings === undefined || temporal === undefined || problems.length > 0)
    throw new ConfigError(problems);
  const read = { temporal, mcpServers, projects, keys, mayHoldKey: needs.worker };
  return { settings, config: toConfig(settings, read) };
};

/** Throws ConfigError with every problem at once. */
export const loadConfig = (env: Environment): Config =>
  load(env, { servers: false, gateway: true, worker: true }).config;

/** For a worker: what `npm start` would otherwise provide must be set. It reads no API keys. Throws as `loadConfig`. */
export const loadServiceConfig = (env: Environment): ServiceConfig =>
  load(env, { servers: true, gateway: false, worker: true }).config as ServiceConfig;

/** Configuration of a gateway, which can say what it runs with: `settings` is every one it reads, secrets masked. */
export type GatewayConfig = ServiceConfig & { readonly settings: readonly Setting[] };

/**
 * For a gateway: the files of API keys and projects must be usable, if there are any. It holds no key of a model or
 * MCP server.
 */
export const loadGatewayConfig = (env: Environment): GatewayConfig => {
  const { settings, config } = load(env, { servers: true, gateway: true, worker: false });
  const isRead = new Set(variablesOf('gateway'));
  // What workers alone are given would show as unset.
  const shown = listSettings(group, settings, env).filter(({ name }) => isRead.has(name));
  return { ...(config as ServiceConfig), settings: shown };
};

/** Every setting that `npm start` would use in this environment, secrets masked. Throws ConfigError. */
export const listConfig = (env: Environment): readonly Setting[] =>
  listSettings(group, load(env, { servers: false, gateway: true, worker: true }).settings, env);
