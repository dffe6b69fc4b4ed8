import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from '../base/errors/config-error.ts';
import type { Environment } from './settings/load-settings.ts';
import { describeUnknown, unknownSettings } from './unknown-settings.ts';
import { errnoOf } from '../base/errors/errno.ts';

/**
 * Returns the variables of `.env` in `folder` and of this process. The process's own win, so that a person can override
 * the file by an export. A file that does not exist counts as empty. Throws ConfigError if the file cannot be read.
 */
export const readEnvironment = (folder: string): Environment => ({
  ...readDotEnv(join(folder, '.env')),
  ...process.env,
});

/**
 * Returns the environment of this process, with the variables of `.env` in the current directory. A process with an IPC
 * channel gets only its own variables, because the supervisor that started it has read `.env`, reported unknown
 * variables, and passed on only what is meant for this process. `report` gets a line for each variable that looks like
 * a setting but is not one. Throws ConfigError if `.env` cannot be read.
 */
export const readProcessEnvironment = (report: (line: string) => void): Environment => {
  if (process.connected) return process.env;
  const env = readEnvironment('');
  for (const unknown of unknownSettings(env)) report(describeUnknown(unknown));
  return env;
};

const readDotEnv = (file: string): Environment => {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return {};
    throw new ConfigError([`${file}: expected a readable file, received ${String(error)}`]);
  }
};
