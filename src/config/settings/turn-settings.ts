import { approvalSettingSchema } from '../../contracts/inputs/approvals.ts';
import { budgetsSchema } from '../../contracts/turn/budgets.ts';
import { DAY_MS } from '../../contracts/values/units.ts';
import {
  amountField,
  booleanField,
  booleanOrEmptyField,
  httpUrlField,
  integerField,
  integerFieldLike,
  listField,
  millisecondsField,
  MINUTE,
  choiceField,
  textField,
} from './fields.ts';
import { providerNames } from './model-provider.ts';

const budgets = budgetsSchema.shape;

/** Settings of the model that answers, and how long it is waited for. */
export const modelSettings = {
  OPENAI_API_KEY: textField
    // The key becomes a header, which can carry nothing else.
    .regex(/^[\x21-\x7e]*$/, 'expected printable ASCII characters without blanks')
    .optional()
    .describe(
      'Key of the model provider. With neither key nor address the demo model answers, which needs no network.',
    ),
  OPENAI_BASE_URL: httpUrlField.optional().describe('Address of an OpenAI-compatible provider.'),
  ORION_MODEL: textField.optional().describe('Name of the model.'),
  ORION_MODELS: listField('names of models', (entry) => !/\s/.test(entry))
    .optional()
    .describe(
      'Further models that a turn may ask for in `metadata.model`, separated by commas. Unset: all of `ORION_MODELS_FILE`.',
    ),
  ORION_MODELS_FILE: textField
    .optional()
    .describe(
      'JSON file `{ "<model>": { "baseUrl"?, "apiKeyFile"?, "provider"?, "name"?, "contextWindow"?, "prices"?, "vision"?, "fallback"? } }`, read at start: how models are reached, and what they can and cost ([models](models.md)). Unset, and for models that it leaves out: the settings of this section.',
    ),
  ORION_MODEL_PROVIDER: choiceField(providerNames)
    .optional()
    .describe('Row of the table of provider quirks. Unset: told by the address.'),
  ORION_PRICES_FILE: textField
    .optional()
    .describe(
      'JSON file `{ "<model>": { "input": 2, "cached"?: 0.5, "cacheWrite"?: 2, "output": 8 } }`, read at start: prices per million tokens, in a currency of yours; what is left out of the two costs as `input`. A price in `ORION_MODELS_FILE` wins. Unset, and for models that both leave out: costs are not known. The demo model costs nothing.',
    ),
  MODEL_IDLE_TIMEOUT_MS: millisecondsField(10 * MINUTE)
    .default(30_000)
    .describe('Silence of the provider after which a model call counts as failed.'),
  MODEL_TOTAL_TIMEOUT_MS: millisecondsField(60 * MINUTE)
    .default(300_000)
    .describe('Longest time of one model call.'),
  MODEL_HEARTBEAT_TIMEOUT_MS: millisecondsField(10 * MINUTE)
    .default(10_000)
    .describe(
      'Silence of a worker after which its activities count as lost. `npm start`, which sees a worker die, sets 30000.',
    ),
  TOOL_RESULT_ROLE: choiceField(['tool', 'system'])
    .default('tool')
    .describe('Role of tool results in prompts: `system` for providers without tool messages.'),
  CONTEXT_TOKENS: integerField(1_000, 2_000_000)
    .default(96_000)
    .describe(
      'Tokens of a prompt, estimated by its bytes: at most what the model takes, less the longest answer (8192); a smaller `contextWindow` of `ORION_MODELS_FILE` does it by itself. Beyond it the oldest turns are left out, down to half of it.',
    ),
  CHAT_HISTORY_LIMIT: integerField(0, 1000)
    .optional()
    .describe(
      'Earlier messages of the conversation in a prompt; beyond it the oldest turns are left out, down to half of it. Unset: as many as `CONTEXT_TOKENS` hold.',
    ),
};

/** The settings of a turn: its limits before it must answer, and when it asks people. */
export const turnSettings = {
  TWO_STAGE_ENABLED: booleanOrEmptyField
    .default(true)
    .describe('Off: every turn runs the standard protocol, and the two-stage route answers 501.'),
  ORION_PROJECTS_FILE: textField
    .optional()
    .describe(
      'JSON file `{ "<project id>": { "temperature": { "plan"?: 0–2, "act"?: 0–2 } } }`, read when a gateway starts: temperatures of model calls in turns of a project. Unset, and for what it leaves out: 0.7 in plan mode, 0.3 in act mode.',
    ),
  ORION_APPROVALS: choiceField(approvalSettingSchema.options)
    .default('never')
    .describe(
      'Whether a turn asks a person before it runs a tool: before none, before those that may change something, before every one.',
    ),
  ORION_APPROVALS_FILE: textField
    .optional()
    .describe(
      'JSON list `[{ "tool": glob, "arguments"?: { "<field>": glob }, "mode": "allow" or "ask" or "deny" }]` of at most 16 KiB, read when a gateway starts; the first rule that matches decides before `ORION_APPROVALS`.',
    ),
  ORION_COMMANDS: choiceField(['off', 'ask', 'allow'])
    .default('off')
    .describe(
      'Whether the model is offered shell commands: never; with a person who is asked about each that no rule allows; as any other tool.',
    ),
  ORION_COMMAND_SANDBOX: choiceField(['require', 'off'])
    .default('require')
    .describe(
      'Where commands run: in bubblewrap (`apt-get install bubblewrap`), and where that does not work nowhere; `off`: as the account of the worker, on machines that are a sandbox themselves.',
    ),
  ORION_COMMAND_ENV: listField('names of variables', (entry) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(entry))
    .optional()
    .describe('Variables of the worker that commands get, too, separated by commas.'),
  INPUT_EXPIRY_MS: millisecondsField(7 * 24 * 60 * MINUTE)
    .default(DAY_MS)
    .describe('How long a turn waits for a reply; then the call is not run.'),
  MAX_PHASE_CYCLES_PER_TURN: integerFieldLike(budgets.maxPhaseCycles).describe('Tools that a turn may run.'),
  MAX_PHASE_CYCLES_LIMIT: integerField(0, budgets.maxPhaseCycles.unwrap().maxValue ?? 0)
    .default(50)
    .describe('Highest `metadata.maxPhaseCycles` that a request may ask for.'),
  MAX_DUPLICATE_ATTEMPTS_PER_TURN: integerFieldLike(budgets.maxDuplicateAttempts).describe(
    'Repeated calls that end tool use; one more for every five tools that have run.',
  ),
  MAX_MALFORMED_CALLS: integerFieldLike(budgets.maxMalformedCalls).describe(
    'Unreadable calls that end tool use.',
  ),
  MAX_REFUSALS: integerFieldLike(budgets.maxRefusals).describe('Refused calls that end tool use.'),
  MAX_NO_PROGRESS: integerFieldLike(budgets.maxNoProgress).describe(
    'Points of tools without anything new that end tool use: 2 where a call is answered as it was before, 1 where it fails or another was answered so.',
  ),
  MAX_TURN_MS: integerFieldLike(budgets.maxTurnMs).describe('Longest time of a turn.'),
  MAX_TURN_COST: amountField
    .optional()
    .describe(
      'What the model calls of a turn may cost, in the currency of `ORION_PRICES_FILE`, which has to name every model. Unset: as much as they come to.',
    ),
  MAX_TURN_TOKENS: integerFieldLike(budgets.maxTurnTokens).describe('Tokens that a turn may stream.'),
  DEBUG_SHOW_TOOL_RESULTS: booleanField.default(false).describe('Shows tool results in the text stream.'),
  ORION_MCP_CONFIG: textField.optional().describe('File with MCP servers in the common `mcpServers` JSON.'),
};

/** The settings of write sessions: how large and how many they may be. */
export const writeSessionSettings = {
  MAX_CONTENT_SIZE_BYTES: integerField(1, 1_073_741_824)
    .default(10_485_760)
    .describe('Largest content of a write session in UTF-8 bytes.'),
  SESSION_INACTIVITY_TIMEOUT_MS: millisecondsField(24 * 60 * MINUTE)
    .default(300_000)
    .describe('Silence after which a write session expires.'),
  MAX_CONCURRENT_SESSIONS: integerField(1, 1_000)
    .default(20)
    .describe('Write sessions that one API key may have open; without keys, all together.'),
};
