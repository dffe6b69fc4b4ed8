import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Setting } from '../../contracts/values/setting.ts';
import { idSchema } from '../../contracts/values/ids.ts';
import { ConfigError } from '../../base/errors/config-error.ts';
import { localUrlOf } from '../../base/hosts/local-url.ts';
import { MINUTE_MS } from '../../contracts/values/units.ts';
import { apiKeyField, integerField, textField, urlField } from './fields.ts';
import { isSettingGiven, readSettings, type Environment, type SettingsGroup } from './load-settings.ts';
import { listSettings } from './list-settings.ts';

/** Settings of the `orion` command itself, by the names of their variables (docs/configuration.md). */
export const cliSettingsSchema = z.object({
  ORION_URL: urlField('http', 'https')
    .optional()
    .describe(
      'Base URL of the gateway. If neither this nor `ORION_HOST` or `ORION_PORT` is set: the stack that runs for the current folder (`orion up`), or else the address at which the gateway of this environment would listen.',
    ),
  ORION_HOST: textField.default('127.0.0.1').describe('Host of the gateway, if `ORION_URL` is unset.'),
  ORION_PORT: integerField(0, 65_535).default(5000).describe('Port of the gateway, if `ORION_URL` is unset.'),
  ORION_PROJECT: textField.pipe(idSchema).default('default').describe('Project in which the command works.'),
  ORION_API_KEY: apiKeyField.optional().describe('API key for the gateway.'),
  WRITE_SESSION_IDLE_MS: integerField(1, 10 * MINUTE_MS)
    .default(2_000)
    .describe(
      'Milliseconds without new text in a write session after which the command asks you whether the text is complete.',
    ),
  MAX_RETRY_ATTEMPTS: integerField(1, 100)
    .default(2)
    .describe('How often the command tries a request that the gateway does not answer.'),
  RETRY_DELAY_MS: integerField(0, 10 * MINUTE_MS)
    .default(1_000)
    .describe('Milliseconds between these attempts.'),
  NO_COLOR: textField.optional().describe('Any non-empty value turns colours off (<https://no-color.org>).'),
  XDG_STATE_HOME: textField
    .optional()
    .describe(
      'Folder for the history of the prompt line, the texts of unfinished write sessions and the data of stacks (`orion up`). Unset: `~/.local/state`.',
    ),
});
type CliSettings = z.infer<typeof cliSettingsSchema>;

/** Secrets among the settings of the `orion` command, as `SettingsGroup` describes them. */
export const CLI_SECRETS = ['ORION_API_KEY'] as const;

const group = {
  schema: cliSettingsSchema,
  aliases: {},
  secrets: CLI_SECRETS,
} satisfies SettingsGroup;

/** Returns the configuration of the `orion` command. Throws ConfigError with every problem at once. */
export const loadCliConfig = (env: Environment) => {
  const settings = readCliSettings(env);
  return {
    url: settings.ORION_URL ?? localUrlOf(settings.ORION_HOST, settings.ORION_PORT),
    /** True when a setting names the gateway's address. In a `CliContext`, `--url` counts as well. */
    isAddressed: (['ORION_URL', 'ORION_HOST', 'ORION_PORT'] as const).some((name) =>
      isSettingGiven(group, env, name),
    ),
    projectId: settings.ORION_PROJECT,
    apiKey: settings.ORION_API_KEY,
    /** False when NO_COLOR has any value that is not empty (https://no-color.org). */
    colors: settings.NO_COLOR === undefined,
    /** Folder of the prompt line's history, texts of unfinished write sessions and stacks (XDG base directories). */
    stateDir: join(settings.XDG_STATE_HOME ?? join(homedir(), '.local', 'state'), 'orion'),
    idleMs: settings.WRITE_SESSION_IDLE_MS,
    attempts: settings.MAX_RETRY_ATTEMPTS,
    retryDelayMs: settings.RETRY_DELAY_MS,
  };
};
/** The configuration of the `orion` command. */
export type CliConfig = ReturnType<typeof loadCliConfig>;

/** Returns the command's own settings, secrets masked. Throws as `loadCliConfig` does. */
export const listCliConfig = (env: Environment): readonly Setting[] =>
  listSettings(group, readCliSettings(env), env);

const readCliSettings = (env: Environment): CliSettings => {
  const problems: string[] = [];
  const settings = readSettings(group, env, [], problems);
  if (settings === undefined || problems.length > 0) throw new ConfigError(problems);
  return settings;
};
