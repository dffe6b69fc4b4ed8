import { makeDirectory } from './make-directory.ts';
import { StartError } from './start-error.ts';

/** Makes the directory that a variable names, unless it is there. Throws StartError with the variable's name. */
export const requireDirectory = (variable: string, path: string): void => {
  try {
    makeDirectory(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(`${variable}: expected a directory, received ${JSON.stringify(path)} (${reason})`, {
      cause,
    });
  }
};
