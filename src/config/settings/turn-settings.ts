import { approvalSettingSchema } from '../../contracts/inputs/approvals.ts';
import { budgetsSchema, MAX_PHASE_CYCLES } from '../../contracts/turn/budgets.ts';
import { DAY_MS, MINUTE_MS } from '../../contracts/values/units.ts';
import {
  amountField,
  apiKeyField,
  booleanField,
  booleanOrEmptyField,
  httpUrlField,
  integerField,
  integerFieldLike,
  listField,
  millisecondsField,
  choiceField,
  textField,
} from './fields.ts';
import { PROVIDER_NAMES } from './model-provider.ts';

const budgets = budgetsSchema.shape;

/** Settings of models: which ones answer, how they are reached, and how long Orion waits for them. */
export const modelSettings = {
  OPENAI_API_KEY: apiKeyField
    .optional()
    .describe(
      'API key of the model provider. If neither this nor `OPENAI_BASE_URL` is set, the demo model answers, which needs no network.',
    ),
  OPENAI_BASE_URL: httpUrlField
    .optional()
    .describe('Base URL of an OpenAI-compatible provider. Unset: the public address of the provider.'),
  ORION_MODEL: textField
    .optional()
    .describe(
      'Name of the model. Unset: the default model of the provider. If neither `OPENAI_API_KEY` nor `OPENAI_BASE_URL` is set, the first model of `ORION_MODELS_FILE`.',
    ),
  ORION_MODELS: listField('names of models', (entry) => !/\s/.test(entry))
    .optional()
    .describe(
      'Additional models that a turn may request in `metadata.model`, separated by commas. Unset: all models of `ORION_MODELS_FILE`.',
    ),
  ORION_MODELS_FILE: textField
    .optional()
    .describe(
      'JSON file `{ "<model>": { "baseUrl"?, "apiKeyFile"?, "provider"?, "name"?, "contextWindow"?, "prices"?, "vision"?, "fallback"? } }` that says how to reach models, what they can do and what they cost ([models](models.md)). It is read at start. The other settings of this section apply to models that are not in the file.',
    ),
  ORION_MODEL_PROVIDER: choiceField(PROVIDER_NAMES)
    .optional()
    .describe('Provider whose peculiarities Orion adapts to. Unset: derived from the base URL.'),
  ORION_PRICES_FILE: textField
    .optional()
    .describe(
      'JSON file `{ "<model>": { "input": 2, "cached"?: 0.5, "cacheWrite"?: 2, "output": 8 } }` with prices per million tokens, in a currency of your choice. It is read at start. `cached` and `cacheWrite` default to `input`. A price in `ORION_MODELS_FILE` wins. The cost of a model without a price is unknown. The demo model costs nothing.',
    ),
  MODEL_IDLE_TIMEOUT_MS: millisecondsField(10 * MINUTE_MS)
    .default(30_000)
    .describe('Milliseconds without data from the provider after which a model call counts as failed.'),
  MODEL_TOTAL_TIMEOUT_MS: millisecondsField(60 * MINUTE_MS)
    .default(300_000)
    .describe('Maximum duration of one model call, in milliseconds.'),
  MODEL_HEARTBEAT_TIMEOUT_MS: millisecondsField(10 * MINUTE_MS)
    .default(10_000)
    .describe(
      'Milliseconds without a heartbeat after which an activity of a turn counts as lost. `npm start` sets 30000, because it notices by itself when a worker dies. Summaries always have 30 s, and commits of files 10 s.',
    ),
  TOOL_RESULT_ROLE: choiceField(['tool', 'system'])
    .default('tool')
    .describe(
      'Role of tool results in prompts. Use `system` for providers that do not support tool messages.',
    ),
  CONTEXT_TOKENS: integerField(1_000, 2_000_000)
    .default(96_000)
    .describe(
      'Maximum tokens of a prompt, estimated from its bytes. Set it to at most the context window of the model minus 8192, the longest answer. A smaller `contextWindow` in `ORION_MODELS_FILE` lowers the limit by itself. When a prompt exceeds the limit, Orion leaves out the oldest turns until it is down to half of the limit.',
    ),
  CHAT_HISTORY_LIMIT: integerField(0, 1000)
    .optional()
    .describe(
      'Maximum number of earlier messages of the conversation in a prompt. When a prompt exceeds it, Orion leaves out the oldest turns until it is down to half of the limit. Unset: as many as fit into `CONTEXT_TOKENS`.',
    ),
};

/** Settings of turns: their limits, their tools, and when they ask a person. */
export const turnSettings = {
  TWO_STAGE_ENABLED: booleanOrEmptyField
    .default(true)
    .describe(
      'Enables the two-stage protocol. Off: every turn runs the standard protocol, and the two-stage route answers 501.',
    ),
  ORION_PROJECTS_FILE: textField
    .optional()
    .describe(
      'JSON file `{ "<project id>": { "temperature": { "plan"?: 0–2, "act"?: 0–2 } } }` with the temperatures of model calls for each project. It is read when a gateway starts. Anything that it leaves out defaults to 0.7 in plan mode and 0.3 in act mode.',
    ),
  ORION_APPROVALS: choiceField(approvalSettingSchema.options)
    .default('never')
    .describe(
      'Whether a turn asks a person before it runs a tool. `never`: it does not ask. `writes`: it asks before tools that may change something. `all`: it asks before every tool.',
    ),
  ORION_APPROVALS_FILE: textField
    .optional()
    .describe(
      'JSON file with a list of rules `[{ "tool": glob, "arguments"?: { "<field>": glob }, "mode": "allow" or "ask" or "deny" }]`, at most 16 KiB. The first rule that matches a call decides; if none matches, `ORION_APPROVALS` does. It is read when a gateway starts.',
    ),
  ORION_COMMANDS: choiceField(['off', 'ask', 'allow'])
    .default('off')
    .describe(
      'Whether the model may run shell commands. `off`: it is not offered them. `ask`: a person has to approve each command that no rule allows. `allow`: commands are treated like any other tool.',
    ),
  ORION_COMMAND_SANDBOX: choiceField(['require', 'off'])
    .default('require')
    .describe(
      'Where commands run. `require`: only in bubblewrap (`apt-get install bubblewrap`); if bubblewrap does not work, commands are not offered. `off`: without a sandbox, as the account of the worker. Use it only on machines that are a sandbox themselves.',
    ),
  ORION_COMMAND_ENV: listField('names of variables', (entry) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(entry))
    .optional()
    .describe('Additional environment variables of the worker that commands receive, separated by commas.'),
  INPUT_EXPIRY_MS: millisecondsField(7 * 24 * 60 * MINUTE_MS)
    .default(DAY_MS)
    .describe('Milliseconds for which a turn waits for a reply. After that the call is not run.'),
  MAX_PHASE_CYCLES_PER_TURN: integerFieldLike(budgets.maxPhaseCycles).describe(
    'Number of tools that a turn may run.',
  ),
  MAX_PHASE_CYCLES_LIMIT: integerField(0, MAX_PHASE_CYCLES)
    .default(MAX_PHASE_CYCLES)
    .describe('Highest `metadata.maxPhaseCycles` that a request may set.'),
  MAX_DUPLICATE_ATTEMPTS_PER_TURN: integerFieldLike(budgets.maxDuplicateAttempts).describe(
    'Number of repeated calls that ends tool use. It grows by one for every five tools that have run.',
  ),
  MAX_MALFORMED_CALLS: integerFieldLike(budgets.maxMalformedCalls).describe(
    'Number of unreadable calls that ends tool use.',
  ),
  MAX_REFUSALS: integerFieldLike(budgets.maxRefusals).describe('Number of refused calls that ends tool use.'),
  MAX_NO_PROGRESS: integerFieldLike(budgets.maxNoProgress).describe(
    'Number of no-progress points that ends tool use. A call that returns the same result as before adds 2 points. A call that fails, or that returns the result of another call, adds 1.',
  ),
  MAX_TURN_MS: integerFieldLike(budgets.maxTurnMs).describe('Maximum duration of a turn, in milliseconds.'),
  MAX_TURN_COST: amountField
    .optional()
    .describe(
      'Maximum cost of the model calls of a turn, in the currency of `ORION_PRICES_FILE`, which must have a price for every model. Unset: no limit.',
    ),
  MAX_TURN_TOKENS: integerFieldLike(budgets.maxTurnTokens).describe(
    'Number of tokens that a turn may stream.',
  ),
  DEBUG_SHOW_TOOL_RESULTS: booleanField
    .default(false)
    .describe('Includes the content of tool results in the event stream.'),
  ORION_MCP_CONFIG: textField
    .optional()
    .describe('JSON file with MCP servers, in the common `mcpServers` format.'),
};

/** The settings of write sessions: how large and how many they may be. */
export const writeSessionSettings = {
  MAX_CONTENT_SIZE_BYTES: integerField(1, 1_073_741_824)
    .default(10_485_760)
    .describe('Maximum content of a write session, in UTF-8 bytes.'),
  SESSION_INACTIVITY_TIMEOUT_MS: millisecondsField(24 * 60 * MINUTE_MS)
    .default(300_000)
    .describe('Milliseconds without activity after which a write session expires.'),
  MAX_CONCURRENT_SESSIONS: integerField(1, 1_000)
    .default(20)
    .describe(
      'Write sessions that one API key may have open. Without API keys the limit applies to everybody together.',
    ),
};
