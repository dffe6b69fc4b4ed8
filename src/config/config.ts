import { resolve } from 'node:path';
import { hasBoundKeys, type ApiKey } from '../access/api-keys.ts';
import { LOOPBACK_HOSTS } from '../base/hosts/loopback.ts';
import type { ApprovalRule } from '../contracts/inputs/approvals.ts';
import { budgetsSchema, type Budgets } from '../contracts/turn/budgets.ts';
import type { Setting } from '../contracts/values/setting.ts';
import type { McpServerSettings } from './files/mcp-servers.ts';
import type { DescribedModels } from './files/models-file.ts';
import type { Projects } from './files/projects-file.ts';
import type { Settings } from './settings/settings.ts';
import type { TemporalSettings } from './temporal-connection.ts';
import { type ModelFiles, modelConfigOf } from './model-config.ts';

/** What the configuration needs besides the settings, mostly the contents of files that settings name. */
export interface ConfigFiles extends ModelFiles {
  readonly temporal: TemporalSettings;
  readonly mcpServers: readonly McpServerSettings[];
  readonly projects: Projects;
  readonly approvalRules: readonly ApprovalRule[];
  /** API keys. Empty in a worker, which does not read them. */
  readonly keys: readonly ApiKey[];
}

/** Groups settings by subject, and fills in everything that one setting implies for another. */
export const toConfig = (settings: Settings, files: ConfigFiles) => {
  const { temporal, mcpServers, projects, approvalRules, prices, keys } = files;
  return {
    ...foldersOf(settings),
    ...projectFoldersOf(settings, keys),
    umask: Number.parseInt(settings.ORION_UMASK, 8),
    logLevel: settings.LOG_LEVEL,
    http: httpOf(settings),
    live: liveOf(settings),
    temporal,
    databaseUrl: settings.DATABASE_URL,
    model: modelConfigOf(settings, files),
    turns: turnsOf(settings, files.models),
    worker: workerOf(settings),
    writeSessions: {
      maxContentBytes: settings.MAX_CONTENT_SIZE_BYTES,
      inactivityTimeoutMs: settings.SESSION_INACTIVITY_TIMEOUT_MS,
      maxConcurrent: settings.MAX_CONCURRENT_SESSIONS,
    },
    /** `minFreeBytes` is undefined when it depends on the size of the disk. */
    storage: {
      keyBytesPerDay: settings.ORION_KEY_BYTES_PER_DAY,
      minFreeBytes: settings.ORION_MIN_FREE_BYTES,
    },
    mcpServers,
    projects,
    prices,
    inputs: inputsOf(settings, approvalRules),
    commands: commandsOf(settings),
    /** True when turns that start now notify a webhook. A gateway knows this without knowing the secret. */
    notifies: settings.ORION_WEBHOOK_URL !== undefined,
    webhook: webhookOf(settings),
    mcpConfigFile: settings.ORION_MCP_CONFIG,
    apiKeysFile: settings.ORION_API_KEYS_FILE,
    retentionDays: settings.ORION_RETENTION_DAYS,
    metrics: { host: settings.ORION_METRICS_HOST, port: settings.ORION_METRICS_PORT },
    stack: stackSettingsOf(settings),
  };
};

/** Configuration of `npm start`, which itself runs every server whose address is not configured. */
export type Config = ReturnType<typeof toConfig>;

/** Configuration of a gateway or worker, which cannot run without the servers and the shared token. */
export type ServiceConfig = Config & {
  readonly databaseUrl: string;
  readonly temporal: { readonly address: string };
  readonly live: { readonly token: string };
};

/**
 * Configuration of a gateway, which can show what it runs with. `settings` lists every setting that it reads, with
 * secrets masked.
 */
export type GatewayConfig = ServiceConfig & { readonly settings: readonly Setting[] };

/**
 * Returns the data directory and the workspace as absolute paths; relative ones are taken from the current directory.
 */
export const foldersOf = (settings: Settings) => {
  const dataDir = resolve(settings.ORION_DATA_DIR);
  return { dataDir, workspace: resolve(settings.ORION_WORKSPACE ?? resolve(dataDir, 'workspace')) };
};

const projectFoldersOf = (settings: Settings, keys: readonly ApiKey[]) => ({
  hasProjectFolders: settings.ORION_PROJECT_FOLDERS ?? hasBoundKeys(keys),
  /** True when ORION_PROJECT_FOLDERS is set, on or off. Keys may be bound to projects in both cases. */
  isProjectFoldersSet: settings.ORION_PROJECT_FOLDERS !== undefined,
  hasBoundKeys: hasBoundKeys(keys),
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

/** Returns the settings of the live lane. `address` is undefined if workers reach the gateway where it listens. */
const liveOf = (settings: Settings) => ({
  isEnabled: settings.LIVE_LANE,
  address: settings.ORION_LIVE_ADDRESS,
  /**
   * Gateways to which workers may send events although the gateways do not sign their address. Gateways on this machine
   * are always allowed.
   */
  allowedAddresses: [settings.ORION_LIVE_ADDRESS ?? [], settings.ORION_LIVE_ALLOWED_ADDRESSES ?? []].flat(),
  token: settings.ORION_INTERNAL_TOKEN,
  /** URL of the Redis that carries the lane. Undefined means that workers send events to the gateways themselves. */
  redisUrl: settings.REDIS_URL,
});

const turnsOf = (settings: Settings, models: DescribedModels) => ({
  offersTwoStage: settings.TWO_STAGE_ENABLED,
  toolResultRole: settings.TOOL_RESULT_ROLE,
  window: {
    tokens: settings.CONTEXT_TOKENS,
    messages: settings.CHAT_HISTORY_LIMIT,
    contextWindows: new Map(
      [...models].flatMap(([name, { contextWindow }]) =>
        contextWindow === undefined ? [] : [[name, contextWindow] as const],
      ),
    ),
  },
  maxPhaseCyclesLimit: settings.MAX_PHASE_CYCLES_LIMIT,
  budgets: budgetsOf(settings),
  maxTurnCost: settings.MAX_TURN_COST,
});

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

const workerOf = (settings: Settings) => ({
  identity: settings.ORION_WORKER_IDENTITY,
  /** True when a supervisor notices lost workers, so that the gateway does not look for them itself. */
  isSupervised: settings.ORION_SUPERVISED,
  workflowBundle: settings.ORION_WORKFLOW_BUNDLE,
  shutdownGraceMs: settings.WORKER_SHUTDOWN_GRACE_MS,
  heartbeatTimeoutMs: settings.MODEL_HEARTBEAT_TIMEOUT_MS,
});

const inputsOf = (settings: Settings, rules: readonly ApprovalRule[]) => ({
  approvals: {
    rules,
    setting: settings.ORION_APPROVALS,
    ...(settings.ORION_COMMANDS === 'ask' && { mayAsk: true }),
  },
  expiryMs: settings.INPUT_EXPIRY_MS,
});

const commandsOf = (settings: Settings) => ({
  offered: settings.ORION_COMMANDS,
  sandbox: settings.ORION_COMMAND_SANDBOX,
  /** Names of variables that commands receive from the worker's environment. */
  handedOn: settings.ORION_COMMAND_ENV ?? [],
});

/**
 * Returns the webhook that is notified. Returns undefined if there is none, or if this process does not have its
 * secret. Only workers get the secret, since only they send messages.
 */
const webhookOf = (settings: Settings) =>
  settings.ORION_WEBHOOK_URL === undefined || settings.ORION_WEBHOOK_SECRET === undefined
    ? undefined
    : {
        url: new URL(settings.ORION_WEBHOOK_URL),
        secret: settings.ORION_WEBHOOK_SECRET,
        allowsPrivateAddresses: settings.ORION_WEBHOOK_PRIVATE,
      };

/** Returns the settings of the servers and workers that `npm start` runs. */
const stackSettingsOf = (settings: Settings) => ({
  workers: settings.ORION_WORKERS,
  temporalPort: settings.ORION_TEMPORAL_PORT,
  temporalUiPort: settings.ORION_TEMPORAL_UI_PORT,
  postgresPort: settings.ORION_POSTGRES_PORT,
});
