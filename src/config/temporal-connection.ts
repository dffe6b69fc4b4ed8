import { readFileSync } from 'node:fs';
import { loadClientConfigProfile, toClientOptions, type ClientConnectConfig } from '@temporalio/envconfig';
import { errorMessage } from '../contracts/values/error-message.ts';
import { ConfigError } from '../base/errors/config-error.ts';
import type { Environment } from './settings/load-settings.ts';
import type { Settings } from './settings/settings.ts';

/** The connection to Temporal. `address` is undefined if `npm start` is to run the server itself. */
export interface TemporalSettings {
  readonly address: string | undefined;
  readonly namespace: string;
  readonly taskQueue: string;
  /** Base URL of the Web UI, for links in responses. Undefined when none is known. */
  readonly uiUrl: string | undefined;
  /** Options of `Connection.connect` and `NativeConnection.connect`. */
  readonly connection: ClientConnectConfig['connectionOptions'];
}

/**
 * Reads the TEMPORAL_* variables of `@temporalio/envconfig`. A profile file is read only if TEMPORAL_PROFILE or
 * TEMPORAL_CONFIG_FILE is set, because the file in a developer's home must not redirect a start that named no server.
 * `settings` is undefined if any setting is wrong. The result then has no task queue and only serves to find further
 * problems. Throws ConfigError if TEMPORAL_CONFIG_FILE cannot be read, and the library's own errors, such as that for a
 * missing profile.
 */
export const readTemporal = (env: Environment, settings: Settings | undefined): TemporalSettings => {
  const variables = temporalVariablesOf(env, settings);
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

/**
 * Returns the variables for `@temporalio/envconfig`. Empty variables are left out. TEMPORAL_TLS gets the one spelling
 * that the library knows, and TEMPORAL_API_KEY may come from a file.
 */
const temporalVariablesOf = (env: Environment, settings: Settings | undefined): Record<string, string> => {
  const nonEmpty = Object.entries(env).filter((entry): entry is [string, string] =>
    Boolean(entry[1]?.trim()),
  );
  const variables = Object.fromEntries(nonEmpty);
  if (settings?.TEMPORAL_TLS !== undefined) variables['TEMPORAL_TLS'] = String(settings.TEMPORAL_TLS);
  if (settings?.TEMPORAL_API_KEY !== undefined) variables['TEMPORAL_API_KEY'] = settings.TEMPORAL_API_KEY;
  return variables;
};

/**
 * Throws ConfigError if the file cannot be read. The library would take a missing file for an empty one, and `npm
 * start` would run a server of its own.
 */
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
