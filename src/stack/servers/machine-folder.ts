import { chmodSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { StartError } from '../../base/errors/start-error.ts';

/**
 * The folder for what Orion keeps on a machine, below the place that hier(7) names for this. A folder in which
 * everybody may write would not do, because names can be taken there beforehand.
 */
const FOLDER = '/var/lib/orion';

const WRITABLE_BY_OTHERS = 0o022;
const PASSABLE = 0o001;

/**
 * Makes sure that there is root's folder, in which another account finds the files that are meant for it, and returns
 * its path. Only root creates anything in it (mode 0711), so that nobody else can prepare names there. Throws
 * StartError, which says what to do, if there can be no such folder.
 */
export const ensureMachineFolder = (): string => {
  try {
    const folder = join(realpathSync(dirname(FOLDER)), 'orion');
    mkdirSync(folder, { recursive: true });
    // The mode is set only if root owns the folder. Another start may have created it just now, and not set the mode
    // yet.
    const stats = lstatSync(folder);
    if (stats.isDirectory() && stats.uid === 0) chmodSync(folder, 0o711);
    const problem = folderProblem(folder);
    if (problem !== undefined) throw unusableFolderError(problem);
    return folder;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw unusableFolderError(errorMessage(error));
  }
};

/**
 * Returns why a folder cannot be used, because it or a folder above it is not safe from other accounts or closed to
 * them. Returns undefined if it can be used.
 */
const folderProblem = (path: string): string | undefined => {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return `${path} is no directory`;
  if (stats.uid !== 0) return `${path} does not belong to root`;
  if ((stats.mode & WRITABLE_BY_OTHERS) !== 0) return `other accounts may write to ${path}`;
  if ((stats.mode & PASSABLE) === 0) return `${path} is closed to other accounts`;
  const parent = dirname(path);
  return parent === path ? undefined : folderProblem(parent);
};

const unusableFolderError = (reason: string): StartError =>
  new StartError(
    `Postgres does not run as root, and its files cannot be kept in ${FOLDER} for another account: ${reason}. ` +
      'Start Orion under an account other than root, or set DATABASE_URL to a server of yours.',
  );
