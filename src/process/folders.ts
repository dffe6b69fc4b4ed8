import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage } from '../contracts/values/error-message.ts';
import { StartError } from '../base/errors/start-error.ts';
import { errnoOf } from '../base/errors/errno.ts';

/**
 * Creates the directory that a variable names, unless it exists. Throws StartError, which names the variable, when that
 * fails, or when `use` is `write` and the directory is not writable.
 */
export const ensureFolder = (variable: string, path: string, use: 'any' | 'write' = 'any'): void => {
  try {
    makeFolder(path);
    if (use === 'write') accessSync(path, constants.W_OK);
  } catch (cause) {
    const reason = errorMessage(cause);
    throw new StartError(`${variable}: expected a directory, received ${JSON.stringify(path)} (${reason})`, {
      cause,
    });
  }
};

/**
 * Sets the umask of a process that serves turns, and creates its folders unless they exist. Throws StartError, which
 * names the variable.
 */
export const ensureFolders = (config: {
  readonly umask: number;
  readonly dataDir: string;
  readonly workspace: string;
}): void => {
  process.umask(config.umask);
  ensureFolder('ORION_DATA_DIR', config.dataDir, 'write');
  ensureFolder('ORION_WORKSPACE', config.workspace);
};

/**
 * Creates a directory with all missing directories above it. Throws when that is impossible, or when something else has
 * its name. `mkdirSync` with `recursive` is not used, because it never returns below `/proc`, where it takes ENOENT for
 * a missing parent.
 */
const makeFolder = (path: string): void => {
  try {
    mkdirSync(path);
  } catch (error) {
    const parent = dirname(path);
    const code = errnoOf(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(parent)) throw error;
    makeFolder(parent);
    makeFolder(path);
  }
};
