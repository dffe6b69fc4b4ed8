import { accessSync, constants } from 'node:fs';
import { errorMessage } from '../base/error-message.ts';
import { makeDirectory } from './make-directory.ts';
import { StartError } from '../base/start-error.ts';

/**
 * Makes the directory that a variable names, unless it is there. Throws StartError with the variable's name, also
 * when the directory is to be written and cannot be.
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
