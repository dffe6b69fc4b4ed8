import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage } from '../contracts/values/error-message.ts';
import { StartError } from '../base/errors/start-error.ts';
import { fieldsOf } from '../contracts/values/record.ts';

const codeOf = (error: unknown): unknown => fieldsOf(error)['code'];

/**
 * Makes a directory with all that is missing above it; throws when that cannot be, or when something else has its name.
 * Not `mkdir` with `recursive`: below `/proc` that never returns (it takes ENOENT for a missing parent).
 */
const makeDirectory = (path: string): void => {
  try {
    mkdirSync(path);
  } catch (error) {
    const parent = dirname(path);
    const code = codeOf(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(parent)) throw error;
    makeDirectory(parent);
    makeDirectory(path);
  }
};

/**
 * Makes the directory that a variable names, unless it is there. Throws StartError with the variable's name, also when
 * the directory must be writable and is not.
 */
export const requireDirectory = (variable: string, path: string, use: 'any' | 'write' = 'any'): void => {
  try {
    makeDirectory(path);
    if (use === 'write') accessSync(path, constants.W_OK);
  } catch (cause) {
    const reason = errorMessage(cause);
    throw new StartError(`${variable}: expected a directory, received ${JSON.stringify(path)} (${reason})`, {
      cause,
    });
  }
};

/**
 * Makes the folders of a process that serves turns, unless they are there, and sets the rights of files that it makes.
 * Throws StartError with the name of the variable.
 */
export const requireFolders = (config: {
  readonly umask: number;
  readonly dataDir: string;
  readonly workspace: string;
}): void => {
  process.umask(config.umask);
  requireDirectory('ORION_DATA_DIR', config.dataDir, 'write');
  requireDirectory('ORION_WORKSPACE', config.workspace);
};
