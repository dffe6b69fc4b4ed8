import { z } from 'zod';
import { budgetsSchema } from '../contracts/budgets.ts';
import { parseHost, parseOrigin } from './allow-list.ts';
import { boolean, httpUrl, integer, integerLike, listOf, oneOf, text, url } from './fields.ts';
import { isLoopback } from './loopback.ts';
import { providerNames } from './model-provider.ts';

const MINUTE = 60_000;
const milliseconds = (max: number) => integer(1, max);
const port = integer(1, 65_535);
const budgets = budgetsSchema.shape;
const MOST_WORKERS = 32;

/** Unlike every other boolean this one never fails: what is not clearly on is off (protocol.md "Choice"). */
const leniently = z.string().transform((value) => /^(true|1|yes)$/i.test(value.trim()));

/** Every environment variable that Orion reads, by its name (architecture.md "Configuration"). */
export const settingsSchema = z
  .object({
    ORION_HOST: text.default('127.0.0.1'),
    /** 0 lets the operating system choose. */
    ORION_PORT: integer(0, 65_535).default(5000),
    ORION_DATA_DIR: text.default('.orion'),
    ORION_WORKSPACE: text.optional(),
    ORION_PROJECT_FOLDERS: boolean.default(false),
    ORION_WORKERS: integer(1, MOST_WORKERS).default(2),
    ORION_TASK_QUEUE: text.default('orion'),
    /** Shared by gateways and workers; `npm start` draws one. */
    ORION_INTERNAL_TOKEN: text.optional(),
    /** Base URL under which workers reach this gateway, when it is not the address it listens on. */
    ORION_LIVE_ADDRESS: httpUrl.optional(),
    ORION_ALLOWED_HOSTS: listOf(
      'hosts such as chat.example or 127.0.0.1:8080',
      (entry) => parseHost(entry) !== undefined,
    ).optional(),
    ORION_ALLOWED_ORIGINS: listOf(
      'origins such as https://chat.example:8080',
      (entry) => parseOrigin(entry) !== undefined,
    ).optional(),
    ORION_TEMPORAL_PORT: port.default(7233),
    ORION_TEMPORAL_UI_PORT: port.default(8233),
    ORION_POSTGRES_PORT: port.default(5433),
    ORION_TEMPORAL_UI_URL: httpUrl.optional(),
    /** Path of a workflow bundle that was built beforehand; a worker without one builds its own. */
    ORION_WORKFLOW_BUNDLE: text.optional(),
    ORION_WORKER_IDENTITY: text.optional(),
    // The other TEMPORAL_* variables are read by @temporalio/envconfig alone.
    TEMPORAL_ADDRESS: text.optional(),
    TEMPORAL_NAMESPACE: text.optional(),
    TEMPORAL_API_KEY: text.optional(),
    TEMPORAL_TLS: boolean.optional(),
    DATABASE_URL: url('postgres', 'postgresql').optional(),
    OPENAI_BASE_URL: httpUrl.optional(),
    /** It becomes a header, which can carry nothing else. */
    OPENAI_API_KEY: text
      .regex(/^[\x21-\x7e]*$/, 'expected printable ASCII characters without blanks')
      .optional(),
    ORION_MODEL: text.optional(),
    ORION_MODEL_PROVIDER: oneOf(providerNames).optional(),
    MODEL_IDLE_TIMEOUT_MS: milliseconds(10 * MINUTE).default(30_000),
    MODEL_TOTAL_TIMEOUT_MS: milliseconds(60 * MINUTE).default(300_000),
    MODEL_HEARTBEAT_TIMEOUT_MS: milliseconds(10 * MINUTE).default(10_000),
    WORKER_SHUTDOWN_GRACE_MS: integer(0, 10 * MINUTE).default(0),
    TWO_STAGE_ENABLED: leniently.default(true),
    TOOL_RESULT_ROLE: oneOf(['tool', 'system']).default('tool'),
    CHAT_HISTORY_LIMIT: integer(0, 1000).default(20),
    LIVE_LANE: boolean.default(true),
    RATE_LIMIT_TURNS_PER_MINUTE: integer(0, 1_000_000).default(60),
    MAX_STREAMS_PER_CLIENT: integer(1, 100_000).default(100),
    /** Turns of one API key that may run at once, by protocol; 0: no limit. */
    MAX_TWO_STAGE_TURNS_PER_KEY: integer(0, 100_000).default(100),
    MAX_STANDARD_TURNS_PER_KEY: integer(0, 100_000).default(100),
    MAX_PHASE_CYCLES_PER_TURN: integerLike(budgets.maxPhaseCycles),
    /** Highest `metadata.maxPhaseCycles` that a request may ask for. */
    MAX_PHASE_CYCLES_LIMIT: integer(0, budgets.maxPhaseCycles.unwrap().maxValue ?? 0).default(50),
    MAX_DUPLICATE_ATTEMPTS_PER_TURN: integerLike(budgets.maxDuplicateAttempts),
    MAX_MALFORMED_CALLS: integerLike(budgets.maxMalformedCalls),
    MAX_REFUSALS: integerLike(budgets.maxRefusals),
    MAX_NO_PROGRESS: integerLike(budgets.maxNoProgress),
    MAX_TURN_MS: integerLike(budgets.maxTurnMs),
    MAX_TURN_TOKENS: integerLike(budgets.maxTurnTokens),
    DEBUG_SHOW_TOOL_RESULTS: boolean.default(false),
    /** Largest content of a write session in UTF-8 bytes. */
    MAX_CONTENT_SIZE_BYTES: integer(1, 1_073_741_824).default(10_485_760),
    SESSION_INACTIVITY_TIMEOUT_MS: milliseconds(24 * 60 * MINUTE).default(300_000),
    /** Write sessions open at once, over all projects. */
    MAX_CONCURRENT_SESSIONS: integer(1, 1_000).default(1),
    /** File with MCP servers in the common `mcpServers` JSON. */
    ORION_MCP_CONFIG: text.optional(),
    /** File with the keys that may use the API, and their projects. */
    ORION_API_KEYS_FILE: text.optional(),
    /** Traces, segments and contexts are kept this long. */
    ORION_RETENTION_DAYS: integer(1, 36_500).default(30),
    /** Metrics of the first worker for Prometheus; the others have the ports after it. Unset: off. */
    ORION_METRICS_PORT: integer(1, 65_535 - MOST_WORKERS).optional(),
    ORION_METRICS_HOST: text.default('127.0.0.1'),
    LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  })
  // With keys or without them: turns.md "Rules".
  .refine(
    ({ ORION_HOST, ORION_API_KEYS_FILE }) => ORION_API_KEYS_FILE !== undefined || isLoopback(ORION_HOST),
    {
      path: ['ORION_HOST'],
      message: 'expected 127.0.0.1, ::1 or localhost (beyond loopback ORION_API_KEYS_FILE must be set)',
      // Judged even when another variable is wrong, so that all problems show at once.
      when: () => true,
    },
  );
export type Settings = z.infer<typeof settingsSchema>;
export type SettingName = keyof Settings;

/** Former and shorter names; the name on the right wins when both are set. */
export const aliases: Readonly<Record<string, SettingName>> = {
  MAX_PHASE_CYCLES: 'MAX_PHASE_CYCLES_PER_TURN',
  MAX_DUPLICATE_ATTEMPTS: 'MAX_DUPLICATE_ATTEMPTS_PER_TURN',
  ADAPTER_TYPE: 'ORION_MODEL_PROVIDER',
};

/** Never printed; each may also be given as the path of a file in `<name>_FILE`. */
export const secrets = [
  'DATABASE_URL',
  'OPENAI_API_KEY',
  'ORION_INTERNAL_TOKEN',
  'TEMPORAL_API_KEY',
] as const satisfies readonly SettingName[];
