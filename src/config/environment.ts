import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from '../base/errors/config-error.ts';
import type { Environment } from './settings/load-settings.ts';
import { describeUnknown, unknownSettings } from './unknown-settings.ts';

const readDotEnv = (file: string): Environment => {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new ConfigError([`${file}: expected a readable file, received ${String(error)}`]);
  }
};

/** Returns the process's variables over those of `.env` in a folder, so that what a person exports wins. */
export const readEnvironment = (folder: string): Environment => ({
  ...readDotEnv(join(folder, '.env')),
  ...process.env,
});

/**
 * Returns the environment of this process. A supervisor that starts a process with an IPC channel has read `.env`,
 * reported unknown variables, and passes on only what is meant for that process. `tell` gets a line for each variable
 * that looks like a setting and is none. Throws ConfigError.
 */
export const environmentOfProcess = (tell: (line: string) => void): Environment => {
  if (process.connected) return process.env;
  const env = readEnvironment('');
  for (const unknown of unknownSettings(env)) tell(describeUnknown(unknown));
  return env;
};
