import { z } from 'zod';
import { budgetsSchema } from '../contracts/budgets.ts';
import { parseHost, parseOrigin } from '../base/allow-list.ts';
import {
  boolean,
  booleanOrEmpty,
  fileMask,
  httpUrl,
  integer,
  integerLike,
  listOf,
  oneOf,
  text,
  url,
} from './fields.ts';
import { isLoopback } from '../base/loopback.ts';
import { providerNames } from './model-provider.ts';

const MINUTE = 60_000;
const milliseconds = (max: number) => integer(1, max);
const port = integer(1, 65_535);
const budgets = budgetsSchema.shape;
const MOST_WORKERS = 32;

/** Sections of docs/configuration.md, which is made of them: a setting's description says what it is for. */
export const settingSections = {
  Gateway: {
    ORION_HOST: text
      .default('127.0.0.1')
      .describe('Address the gateway listens on; beyond loopback only with `ORION_API_KEYS_FILE`.'),
    ORION_PORT: integer(0, 65_535)
      .default(5000)
      .describe('Port of the gateway; 0 lets the operating system choose.'),
    ORION_API_KEYS_FILE: text
      .optional()
      .describe(
        'JSON file `[{ "name", "sha256", "projects": ["*"] or ids }]` with the keys that may use the API; read again when it changes. `orion keys new` makes an entry. Unset: no key is asked for, and only loopback is allowed.',
      ),
    ORION_ALLOWED_HOSTS: listOf(
      'hosts such as chat.example or 127.0.0.1:8080',
      (entry) => parseHost(entry) !== undefined,
    )
      .optional()
      .describe(
        'Names in `Host` that are answered, separated by commas; one without a port means any port. Unset: the names of loopback.',
      ),
    ORION_ALLOWED_ORIGINS: listOf(
      'origins such as https://chat.example:8080',
      (entry) => parseOrigin(entry) !== undefined,
    )
      .optional()
      .describe('Origins of web pages that may use the API besides the gateway’s own, separated by commas.'),
    RATE_LIMIT_TURNS_PER_MINUTE: integer(0, 1_000_000)
      .default(60)
      .describe(
        'Turns that one client (API key, else address) may start a minute, stored messages of `orion` and `system` included; 0: no limit.',
      ),
    MAX_STREAMS_PER_CLIENT: integer(1, 100_000)
      .default(100)
      .describe('Event streams that one client may hold open.'),
    ORION_MAX_CONNECTIONS: integer(10, 1_000_000)
      .default(4_000)
      .describe(
        'Connections that the gateway holds open in all; never more than three quarters of the files that the process may have open (`ulimit -n`).',
      ),
    MAX_TWO_STAGE_TURNS_PER_KEY: integer(0, 100_000)
      .default(100)
      .describe('Turns of the two-stage protocol that one API key may have running; 0: no limit.'),
    MAX_STANDARD_TURNS_PER_KEY: integer(0, 100_000)
      .default(100)
      .describe('The same for the standard protocol.'),
  },
  Files: {
    ORION_DATA_DIR: text.default('.orion').describe('Databases, logs, texts of write sessions.'),
    ORION_WORKSPACE: text
      .optional()
      .describe(
        'The only folder that tools can reach; it must be there, and must not contain the data directory. Unset: `workspace` in the data directory.',
      ),
    ORION_PROJECT_FOLDERS: boolean
      .optional()
      .describe(
        'Gives each project a folder of its own in the workspace. Unset: on if any API key is bound to projects, else off.',
      ),
    ORION_UMASK: fileMask
      .default('077')
      .describe(
        'Permissions that new files do not get, those of the workspace included. Databases, logs and all else in the data directory are closed to other accounts whatever it says.',
      ),
    ORION_KEY_BYTES_PER_DAY: integer(0, 999_999_999_999_999)
      .default(10_737_418_240)
      .describe(
        'Bytes of messages, drafts and contents that one API key may store a day (UTC), over all gateways; without keys, all together; 0: no limit.',
      ),
    ORION_MIN_FREE_BYTES: integer(0, 999_999_999_999_999)
      .optional()
      .describe(
        'Bytes that stay free on the disks of data directory and workspace: what would take them is refused; 0: no limit. Unset: 256 MiB, or 5 % of a smaller disk.',
      ),
    ORION_RETENTION_DAYS: integer(1, 36_500)
      .default(30)
      .describe('Traces, event segments and contexts are kept this long; messages and turns stay.'),
  },
  Model: {
    OPENAI_API_KEY: text
      // It becomes a header, which can carry nothing else.
      .regex(/^[\x21-\x7e]*$/, 'expected printable ASCII characters without blanks')
      .optional()
      .describe(
        'Key of the model provider. With neither key nor address the demo model answers, which needs no network.',
      ),
    OPENAI_BASE_URL: httpUrl.optional().describe('Address of an OpenAI-compatible provider.'),
    ORION_MODEL: text.optional().describe('Name of the model.'),
    ORION_MODELS: listOf('names of models', (entry) => !/\s/.test(entry))
      .optional()
      .describe('Further models that a turn may ask for in `metadata.model`, separated by commas.'),
    ORION_MODEL_PROVIDER: oneOf(providerNames)
      .optional()
      .describe('Row of the table of provider quirks. Unset: told by the address.'),
    MODEL_IDLE_TIMEOUT_MS: milliseconds(10 * MINUTE)
      .default(30_000)
      .describe('Silence of the provider after which a model call counts as failed.'),
    MODEL_TOTAL_TIMEOUT_MS: milliseconds(60 * MINUTE)
      .default(300_000)
      .describe('Longest time of one model call.'),
    MODEL_HEARTBEAT_TIMEOUT_MS: milliseconds(10 * MINUTE)
      .default(10_000)
      .describe(
        'Silence of a worker after which its activities count as lost. `npm start`, which sees a worker die, sets 30000.',
      ),
    TOOL_RESULT_ROLE: oneOf(['tool', 'system'])
      .default('tool')
      .describe('Role of tool results in prompts: `system` for providers without tool messages.'),
    CHAT_HISTORY_LIMIT: integer(0, 1000)
      .default(20)
      .describe('Earlier messages of the conversation in a prompt.'),
  },
  Turns: {
    TWO_STAGE_ENABLED: booleanOrEmpty
      .default(true)
      .describe('Off: every turn runs the standard protocol, and the two-stage route answers 501.'),
    ORION_PROJECTS_FILE: text
      .optional()
      .describe(
        'JSON file `{ "<project id>": { "temperature": { "plan"?: 0–2, "act"?: 0–2 } } }`, read when a gateway starts: temperatures of model calls in turns of a project. Unset, and for what it leaves out: 0.7 in plan mode, 0.3 in act mode.',
      ),
    MAX_PHASE_CYCLES_PER_TURN: integerLike(budgets.maxPhaseCycles).describe('Tools that a turn may run.'),
    MAX_PHASE_CYCLES_LIMIT: integer(0, budgets.maxPhaseCycles.unwrap().maxValue ?? 0)
      .default(50)
      .describe('Highest `metadata.maxPhaseCycles` that a request may ask for.'),
    MAX_DUPLICATE_ATTEMPTS_PER_TURN: integerLike(budgets.maxDuplicateAttempts).describe(
      'Repeated calls that end tool use.',
    ),
    MAX_MALFORMED_CALLS: integerLike(budgets.maxMalformedCalls).describe(
      'Unreadable calls that end tool use.',
    ),
    MAX_REFUSALS: integerLike(budgets.maxRefusals).describe('Refused calls that end tool use.'),
    MAX_NO_PROGRESS: integerLike(budgets.maxNoProgress).describe(
      'Calls without anything new that end tool use.',
    ),
    MAX_TURN_MS: integerLike(budgets.maxTurnMs).describe('Longest time of a turn.'),
    MAX_TURN_TOKENS: integerLike(budgets.maxTurnTokens).describe('Tokens that a turn may stream.'),
    DEBUG_SHOW_TOOL_RESULTS: boolean.default(false).describe('Shows tool results in the text stream.'),
    ORION_MCP_CONFIG: text.optional().describe('File with MCP servers in the common `mcpServers` JSON.'),
  },
  'Write sessions': {
    MAX_CONTENT_SIZE_BYTES: integer(1, 1_073_741_824)
      .default(10_485_760)
      .describe('Largest content of a write session in UTF-8 bytes.'),
    SESSION_INACTIVITY_TIMEOUT_MS: milliseconds(24 * 60 * MINUTE)
      .default(300_000)
      .describe('Silence after which a write session expires.'),
    MAX_CONCURRENT_SESSIONS: integer(1, 1_000)
      .default(20)
      .describe('Write sessions that one API key may have open; without keys, all together.'),
  },
  'Servers and processes': {
    ORION_WORKERS: integer(1, MOST_WORKERS).default(2).describe('Worker processes of `npm start`.'),
    WORKER_SHUTDOWN_GRACE_MS: integer(0, 10 * MINUTE)
      .default(0)
      .describe('Time that a worker gives its running model calls when it stops; 0 hands them over at once.'),
    LIVE_LANE: boolean
      .default(true)
      .describe('Off: events reach the gateway by signals and queries alone, later.'),
    ORION_INTERNAL_TOKEN: text
      .min(32, 'expected at least 32 characters')
      .optional()
      .describe(
        'Secret shared by gateways and workers, at least 32 characters; the live lane proves that it knows it and never sends it. Unset: `npm start` draws one.',
      ),
    ORION_LIVE_ADDRESS: httpUrl
      .optional()
      .describe('Base URL under which workers reach this gateway. Unset: where it listens.'),
    ORION_LIVE_ALLOWED_ADDRESSES: listOf(
      'addresses such as http://gateway:5000 or http://*.gateway:5000',
      (entry) => parseOrigin(entry) !== undefined,
    )
      .optional()
      .describe(
        'Gateways on other machines that a worker may send events to, separated by commas: each `ORION_LIVE_ADDRESS` of the installation; `*.` stands for every name below. This machine is always allowed. To any other address text goes by signals alone, later.',
      ),
    // The other TEMPORAL_* variables are read by @temporalio/envconfig alone.
    TEMPORAL_ADDRESS: text
      .optional()
      .describe('`host:port` of a Temporal server. Unset: `npm start` runs one.'),
    TEMPORAL_NAMESPACE: text.optional().describe('Namespace; unset: `default`.'),
    TEMPORAL_API_KEY: text.optional().describe('Key of Temporal Cloud.'),
    TEMPORAL_TLS: boolean
      .optional()
      .describe('TLS to Temporal. The other names of `@temporalio/envconfig` hold, too.'),
    ORION_TASK_QUEUE: text.default('orion').describe('Task queue of workflows and activities.'),
    DATABASE_URL: url('postgres', 'postgresql').optional().describe('Postgres. Unset: `npm start` runs one.'),
    ORION_TEMPORAL_PORT: port.default(7233).describe('Port of the Temporal server that `npm start` runs.'),
    ORION_TEMPORAL_UI_PORT: port.default(8233).describe('Port of its Web UI.'),
    ORION_POSTGRES_PORT: port.default(5433).describe('Port of the Postgres that `npm start` runs.'),
    ORION_TEMPORAL_UI_URL: httpUrl
      .optional()
      .describe(
        'Address of the Temporal Web UI for links in answers. Unset: that of `npm start`, if it runs one.',
      ),
    ORION_WORKFLOW_BUNDLE: text
      .optional()
      .describe('Workflow bundle that was built beforehand. Unset: a worker builds its own.'),
    ORION_WORKER_IDENTITY: text.optional().describe('Name of a worker process in Temporal.'),
  },
  'Logs and metrics': {
    LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
      .default('info')
      .describe('Least severe level that is logged.'),
    ORION_METRICS_PORT: integer(1, 65_535 - MOST_WORKERS)
      .optional()
      .describe(
        'Metrics of the first worker for Prometheus; the others have the ports after it. Unset: off.',
      ),
    ORION_METRICS_HOST: text.default('127.0.0.1').describe('Address of these metrics.'),
  },
};

/** Every environment variable that Orion reads, by its name (docs/configuration.md). */
export const settingsSchema = z
  .object({
    ...settingSections['Gateway'],
    ...settingSections['Files'],
    ...settingSections['Model'],
    ...settingSections['Turns'],
    ...settingSections['Write sessions'],
    ...settingSections['Servers and processes'],
    ...settingSections['Logs and metrics'],
  })
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
