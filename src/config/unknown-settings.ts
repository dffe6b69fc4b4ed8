import { cliSettingsSchema, CLI_SECRETS } from './settings/cli-settings.ts';
import type { Environment } from './settings/load-settings.ts';
import { readNamedVariables } from './files/mcp-servers.ts';
import { nearestName } from '../base/text/nearest-name.ts';
import { SETTING_ALIASES, SECRET_SETTINGS, settingsSchema } from './settings/settings.ts';

/** A variable that looks like a setting but is not one. */
export interface UnknownSetting {
  readonly variable: string;
  /** The setting that may have been meant. Undefined when no setting is near. */
  readonly suggestion: string | undefined;
}

/** Matches variables of `@temporalio/envconfig`, and the one with which a person names the Temporal CLI. */
const TEMPORAL_VARIABLE = /^TEMPORAL_(CLI|PROFILE|CONFIG_FILE|CODEC_.+|TLS_.+|GRPC_META_.+)$/;

/** Variables that only docker-compose.yml reads. They may be in the same `.env` file that Orion reads. */
const COMPOSE_VARIABLES = ['ORION_PORTS'];

const KNOWN_VARIABLES: readonly string[] = [
  ...Object.keys(settingsSchema.shape),
  ...Object.keys(cliSettingsSchema.shape),
  ...Object.keys(SETTING_ALIASES),
  ...[...SECRET_SETTINGS, ...CLI_SECRETS].map((secret) => `${secret}_FILE`),
];

/**
 * Returns the variables that look like settings but are none, sorted by name: every unknown `ORION_*`, and any other
 * name that is close to a setting. They are reported but never refused, since an environment is shared with other
 * programs and other versions of Orion (docs/decisions/unknown-settings-are-told.md).
 */
export const unknownSettings = (env: Environment): readonly UnknownSetting[] => {
  const known = new Set([...KNOWN_VARIABLES, ...COMPOSE_VARIABLES, ...readMcpVariables(env)]);
  return Object.keys(env)
    .filter((variable) => /^\w+$/.test(variable) && !known.has(variable) && !TEMPORAL_VARIABLE.test(variable))
    .map((variable) => ({ variable, suggestion: suggestionFor(variable) }))
    .filter(({ variable, suggestion }) => suggestion !== undefined || hasOrionPrefix(variable))
    .toSorted((a, b) => (a.variable < b.variable ? -1 : 1));
};

/** Reports whether a variable's prefix says that it is meant for Orion. */
const hasOrionPrefix = (variable: string): boolean => /^ORION_/i.test(variable);

/**
 * Reports whether a name could mislead any command of `orion`, as a mistyped ORION_URL or ORION_PROJECT could. Such a
 * name begins with `ORION_` and is close to a setting. All other names matter only to what starts a stack.
 */
export const isMisleading = ({ variable, suggestion }: UnknownSetting): boolean =>
  suggestion !== undefined && hasOrionPrefix(variable);

const suggestionFor = (variable: string): string | undefined => {
  const upper = variable.toUpperCase();
  return KNOWN_VARIABLES.includes(upper) ? upper : nearestName(upper, KNOWN_VARIABLES);
};

/** Returns the line that tells a person about an unknown variable. */
export const describeUnknown = ({ variable, suggestion }: UnknownSetting): string =>
  `${variable} is not a setting of Orion${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`;

/**
 * Returns the variables that the file of MCP servers refers to. They are in use, whatever their names. A file that
 * cannot be read gives none here, and `readMcpServers` reports it.
 */
const readMcpVariables = (env: Environment): readonly string[] => {
  try {
    return readNamedVariables(env['ORION_MCP_CONFIG']?.trim() || undefined);
  } catch {
    return [];
  }
};
