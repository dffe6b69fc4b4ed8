import { chmodSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { StartError } from '../../base/errors/start-error.ts';

/** hier(7): state of programs. Not below a folder that everybody may write to, where names can be taken beforehand. */
const FOLDER = '/var/lib/orion';

const WRITABLE_BY_OTHERS = 0o022;
const PASSABLE = 0o001;

const problemOf = (path: string): string | undefined => {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return `${path} is no directory`;
  if (stats.uid !== 0) return `${path} does not belong to root`;
  if ((stats.mode & WRITABLE_BY_OTHERS) !== 0) return `other accounts may write to ${path}`;
  if ((stats.mode & PASSABLE) === 0) return `${path} is closed to other accounts`;
  const parent = dirname(path);
  return parent === path ? undefined : problemOf(parent);
};

const unusable = (reason: string): StartError =>
  new StartError(
    `Postgres does not run as root, and its files cannot be kept in ${FOLDER} for another account: ${reason}. ` +
      'Start Orion under an account other than root, or set DATABASE_URL to a server of yours.',
  );

/**
 * The folder of root below which another account finds what is meant for it, and nobody but root makes anything:
 * names in it cannot be laid out by others. Mode 0711. Throws StartError with what to do when it cannot be had.
 */
export const machineFolder = (): string => {
  try {
    const folder = join(realpathSync(dirname(FOLDER)), 'orion');
    mkdirSync(folder, { recursive: true });
    // Its own mode is ours to set, once it is certain whose it is: a start beside this one may have just made it.
    const stats = lstatSync(folder);
    if (stats.isDirectory() && stats.uid === 0) chmodSync(folder, 0o711);
    const problem = problemOf(folder);
    if (problem !== undefined) throw unusable(problem);
    return folder;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw unusable(errorMessage(error));
  }
};
