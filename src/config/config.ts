import { resolve } from 'node:path';
import { budgetsSchema, type Budgets } from '../contracts/budgets.ts';
import type { Setting } from '../contracts/http-info.ts';
import { readApiKeys } from '../access/key-file.ts';
import { ConfigError } from './config-error.ts';
import { isGiven, readSettings, type Environment, type SettingsGroup } from './load-settings.ts';
import { readMcpServers, type McpServerSettings } from './mcp-servers.ts';
import { resolveModel } from './model-provider.ts';
import { listSettings, printSettings } from './print-settings.ts';
import { readProjects, type Projects } from './projects-file.ts';
import { aliases, secrets, settingsSchema, type SettingName, type Settings } from './settings.ts';
import { readTemporal, type TemporalSettings } from './temporal-connection.ts';

const group = { schema: settingsSchema, aliases, secrets } satisfies SettingsGroup;

const PROVIDED_BY_STACK: readonly SettingName[] = ['DATABASE_URL', 'ORION_INTERNAL_TOKEN'];

/** Names under which a browser on this machine reaches the gateway. */
const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

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

const modelOf = (settings: Settings) => {
  const resolved = resolveModel({
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

/** What stands in files that settings name. */
interface ConfigFiles {
  readonly mcpServers: readonly McpServerSettings[];
  readonly projects: Projects;
}

/** Settings by subject, with everything filled in that one setting implies for another. */
const toConfig = (settings: Settings, temporal: TemporalSettings, { mcpServers, projects }: ConfigFiles) => {
  const dataDir = resolve(settings.ORION_DATA_DIR);
  return {
    dataDir,
    workspace: resolve(settings.ORION_WORKSPACE ?? resolve(dataDir, 'workspace')),
    projectFolders: settings.ORION_PROJECT_FOLDERS,
    logLevel: settings.LOG_LEVEL,
    http: httpOf(settings),
    live: liveOf(settings),
    temporal,
    databaseUrl: settings.DATABASE_URL,
    model: modelOf(settings),
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
    apiKeysFile: settings.ORION_API_KEYS_FILE,
    retentionDays: settings.ORION_RETENTION_DAYS,
    metrics: { host: settings.ORION_METRICS_HOST, port: settings.ORION_METRICS_PORT },
    stack: {
      workers: settings.ORION_WORKERS,
      temporalPort: settings.ORION_TEMPORAL_PORT,
      temporalUiPort: settings.ORION_TEMPORAL_UI_PORT,
      postgresPort: settings.ORION_POSTGRES_PORT,
    },
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
    else problems.push(`TEMPORAL_*: ${error instanceof Error ? error.message : String(error)}`);
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

/** Keys are read again by the gateway that uses them; here it counts that they can be. */
const checkKeys = (env: Environment, problems: string[]): void => {
  const path = fileNamedBy(env, 'ORION_API_KEYS_FILE');
  if (path === undefined) return;
  try {
    readApiKeys(path);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
  }
};

/** `servers`: their addresses and the token must be set. `gateway`: this process or a child is one, and reads its files. */
interface Needs {
  readonly servers: boolean;
  readonly gateway: boolean;
}

const load = (env: Environment, needs: Needs): { settings: Settings; config: Config } => {
  const problems: string[] = [];
  const required = needs.servers ? PROVIDED_BY_STACK : [];
  const settings = readSettings(group, env, required, problems);
  const temporal = tryReadTemporal(env, settings, problems);
  if (needs.servers) requireAddress(temporal, problems);
  if (needs.gateway) checkKeys(env, problems);
  const projectsFile = needs.gateway ? fileNamedBy(env, 'ORION_PROJECTS_FILE') : undefined;
  const projects = readProjects(projectsFile, problems);
  const mcpServers = readMcpServers(fileNamedBy(env, 'ORION_MCP_CONFIG'), env, problems);
  if (settings === undefined || temporal === undefined || problems.length > 0)
    throw new ConfigError(problems);
  return { settings, config: toConfig(settings, temporal, { mcpServers, projects }) };
};

/** Throws ConfigError with every problem at once. */
export const loadConfig = (env: Environment): Config => load(env, { servers: false, gateway: true }).config;

/** As `loadConfig`, and what `npm start` would otherwise provide must be set. */
export const loadServiceConfig = (env: Environment): ServiceConfig =>
  load(env, { servers: true, gateway: false }).config as ServiceConfig;

/** Configuration of a gateway, which can say what it runs with: `settings` is every one of them, secrets masked. */
export type GatewayConfig = ServiceConfig & { readonly settings: readonly Setting[] };

/** As `loadServiceConfig`, and the files of API keys and projects must be usable, if there are any. */
export const loadGatewayConfig = (env: Environment): GatewayConfig => {
  const { settings, config } = load(env, { servers: true, gateway: true });
  return { ...(config as ServiceConfig), settings: settingsIn(settings, env) };
};

const settingsIn = (settings: Settings, env: Environment): readonly Setting[] => {
  const unset = Object.fromEntries(Object.keys(group.schema.shape).map((name) => [name, undefined]));
  return listSettings({ ...unset, ...settings }, secrets).map((setting) => ({
    ...setting,
    isDefault: !isGiven(group, env, setting.name),
  }));
};

/** All settings in effect as `NAME=value` lines, sorted, secrets masked. Throws ConfigError. */
export const describeConfig = (env: Environment): string =>
  printSettings(load(env, { servers: false, gateway: true }).settings, secrets);
