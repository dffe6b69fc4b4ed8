import { readFileSync } from 'node:fs';
import { loadClientConfigProfile, toClientOptions, type ClientConnectConfig } from '@temporalio/envconfig';
import { errorMessage } from '../contracts/values/error-message.ts';
import { ConfigError } from '../base/errors/config-error.ts';
import type { Environment } from './settings/load-settings.ts';
import type { Settings } from './settings/settings.ts';

/** The connection to Temporal. `address` undefined: `npm start` brings a server up. */
export interface TemporalSettings {
  readonly address: string | undefined;
  readonly namespace: string;
  readonly taskQueue: string;
  /** Base URL of the Web UI, for links in answers. Undefined when none is known. */
  readonly uiUrl: string | undefined;
  /** Options of `Connection.connect` and `NativeConnection.connect`. */
  readonly connection: ClientConnectConfig['connectionOptions'];
}

/** The variables that `@temporalio/envconfig` may see: set ones only, and booleans in the one spelling it knows. */
const variablesOf = (env: Environment, settings: Settings | undefined): Record<string, string> => {
  const given = Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1]?.trim()));
  const variables = Object.fromEntries(given);
  if (settings?.TEMPORAL_TLS !== undefined) variables['TEMPORAL_TLS'] = String(settings.TEMPORAL_TLS);
  if (settings?.TEMPORAL_API_KEY !== undefined) variables['TEMPORAL_API_KEY'] = settings.TEMPORAL_API_KEY;
  return variables;
};

/** The library treats a missing file as an empty one, and a server of our own would start instead. */
const requireConfigFile = (path: string): void => {
  try {
    readFileSync(path);
  } catch (error) {
    const reason = errorMessage(error);
    throw new ConfigError([
      `TEMPORAL_CONFIG_FILE: expected the path of a readable file, received ${JSON.stringify(path)} (${reason})`,
    ]);
  }
};

/**
 * Reads the TEMPORAL_* variables of `@temporalio/envconfig`. A profile file is read only if a variable names it: the
 * one in a developer's home must not redirect a start that named no server at all. Throws what the library throws for a
 * profile that is not there, ConfigError for a file.
 */
export const readTemporal = (env: Environment, settings: Settings | undefined): TemporalSettings => {
  const variables = variablesOf(env, settings);
  const file = variables['TEMPORAL_CONFIG_FILE'];
  if (file !== undefined) requireConfigFile(file);
  const disableFile = !('TEMPORAL_PROFILE' in variables || 'TEMPORAL_CONFIG_FILE' in variables);
  const profile = loadClientConfigProfile({ overrideEnvVars: variables, disableFile });
  const embeddedUi =
    profile.address === undefined ? `http://127.0.0.1:${settings?.ORION_TEMPORAL_UI_PORT}` : undefined;
  return {
    address: profile.address,
    namespace: profile.namespace ?? 'default',
    taskQueue: settings?.ORION_TASK_QUEUE ?? '',
    uiUrl: settings?.ORION_TEMPORAL_UI_URL ?? embeddedUi,
    connection: toClientOptions(profile).connectionOptions,
  };
};
