import { SETTING_ALIASES, SECRET_SETTINGS, type SettingName } from './settings.ts';

/** A process that `npm start` runs and that reads settings. */
export type SettingReader = 'gateway' | 'worker';

const BOTH = ['gateway', 'worker'] as const;
/** Readers of a setting that only the gateway reads, if only to show it (`orion config`). */
const GATEWAY = ['gateway'] as const;
const WORKER = ['worker'] as const;

/**
 * The processes that get each setting under `npm start`. Every setting is listed here with its readers and reaches no
 * other process, because a process cannot give away a secret that it never had.
 */
const READERS = {
  ORION_HOST: GATEWAY,
  ORION_PORT: GATEWAY,
  ORION_API_KEYS_FILE: GATEWAY,
  ORION_PROJECTS_FILE: GATEWAY,
  ORION_APPROVALS: GATEWAY,
  ORION_APPROVALS_FILE: GATEWAY,
  ORION_COMMANDS: BOTH,
  ORION_COMMAND_SANDBOX: WORKER,
  ORION_COMMAND_ENV: WORKER,
  INPUT_EXPIRY_MS: GATEWAY,
  ORION_WEBHOOK_URL: BOTH,
  ORION_WEBHOOK_SECRET: WORKER,
  ORION_WEBHOOK_PRIVATE: WORKER,
  ORION_ALLOWED_HOSTS: GATEWAY,
  ORION_ALLOWED_ORIGINS: GATEWAY,
  RATE_LIMIT_TURNS_PER_MINUTE: GATEWAY,
  MAX_STREAMS_PER_CLIENT: GATEWAY,
  MAX_TWO_STAGE_TURNS_PER_KEY: GATEWAY,
  MAX_STANDARD_TURNS_PER_KEY: GATEWAY,
  ORION_MAX_CONNECTIONS: GATEWAY,
  ORION_DATA_DIR: BOTH,
  ORION_WORKSPACE: BOTH,
  ORION_PROJECT_FOLDERS: BOTH,
  ORION_UMASK: BOTH,
  ORION_KEY_BYTES_PER_DAY: BOTH,
  ORION_MIN_FREE_BYTES: BOTH,
  ORION_RETENTION_DAYS: BOTH,
  OPENAI_API_KEY: WORKER,
  OPENAI_BASE_URL: BOTH,
  ORION_MODEL: BOTH,
  ORION_MODELS: BOTH,
  ORION_MODELS_FILE: BOTH,
  ORION_MODEL_PROVIDER: BOTH,
  ORION_PRICES_FILE: BOTH,
  MODEL_IDLE_TIMEOUT_MS: BOTH,
  MODEL_TOTAL_TIMEOUT_MS: BOTH,
  MODEL_HEARTBEAT_TIMEOUT_MS: BOTH,
  TOOL_RESULT_ROLE: BOTH,
  CONTEXT_TOKENS: BOTH,
  CHAT_HISTORY_LIMIT: BOTH,
  TWO_STAGE_ENABLED: BOTH,
  MAX_PHASE_CYCLES_PER_TURN: BOTH,
  MAX_PHASE_CYCLES_LIMIT: BOTH,
  MAX_DUPLICATE_ATTEMPTS_PER_TURN: BOTH,
  MAX_MALFORMED_CALLS: BOTH,
  MAX_REFUSALS: BOTH,
  MAX_NO_PROGRESS: BOTH,
  MAX_TURN_MS: BOTH,
  MAX_TURN_TOKENS: BOTH,
  MAX_TURN_COST: BOTH,
  DEBUG_SHOW_TOOL_RESULTS: BOTH,
  ORION_MCP_CONFIG: BOTH,
  MAX_CONTENT_SIZE_BYTES: BOTH,
  SESSION_INACTIVITY_TIMEOUT_MS: BOTH,
  MAX_CONCURRENT_SESSIONS: BOTH,
  ORION_WORKERS: GATEWAY,
  WORKER_SHUTDOWN_GRACE_MS: BOTH,
  LIVE_LANE: BOTH,
  ORION_INTERNAL_TOKEN: BOTH,
  ORION_LIVE_ADDRESS: BOTH,
  ORION_LIVE_ALLOWED_ADDRESSES: BOTH,
  REDIS_URL: BOTH,
  TEMPORAL_ADDRESS: BOTH,
  TEMPORAL_NAMESPACE: BOTH,
  TEMPORAL_API_KEY: BOTH,
  TEMPORAL_TLS: BOTH,
  ORION_TASK_QUEUE: BOTH,
  DATABASE_URL: BOTH,
  ORION_TEMPORAL_PORT: GATEWAY,
  ORION_TEMPORAL_UI_PORT: GATEWAY,
  ORION_POSTGRES_PORT: GATEWAY,
  ORION_TEMPORAL_UI_URL: GATEWAY,
  ORION_WORKFLOW_BUNDLE: WORKER,
  ORION_WORKER_IDENTITY: WORKER,
  ORION_SUPERVISED: GATEWAY,
  LOG_LEVEL: BOTH,
  ORION_METRICS_PORT: BOTH,
  ORION_METRICS_HOST: BOTH,
} as const satisfies Record<SettingName, readonly SettingReader[]>;

/** Returns the names of the variables that carry the settings of one process, including aliases and `*_FILE`. */
export const variablesOf = (reader: SettingReader): readonly string[] =>
  (Object.keys(READERS) as SettingName[])
    .filter((setting) => (READERS[setting] as readonly SettingReader[]).includes(reader))
    .flatMap(namesOf);

const namesOf = (setting: SettingName): readonly string[] => [
  setting,
  ...Object.keys(SETTING_ALIASES).filter((alias) => SETTING_ALIASES[alias] === setting),
  ...SECRET_SETTINGS.filter((secret) => secret === setting).map((secret) => `${secret}_FILE`),
];
