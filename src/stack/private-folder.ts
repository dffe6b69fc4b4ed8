import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
} from 'node:fs';
import { join } from 'node:path';
import { ensureFolder } from '../process/folders.ts';
import { StartError } from '../base/errors/start-error.ts';

const DIRECTORY_MODE = 0o700;
const OWNER_BITS = 0o700;
const OTHERS_BITS = 0o077;
/** Flags that refuse a link, which may lead anywhere, and do not wait for the other end of a pipe. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Folders whose files are restricted as well, because earlier versions made these readable for everybody. */
const FOLDERS_WITH_RESTRICTED_FILES = ['logs', 'logs-previous'];
/** The folder with the files of people, who decide themselves who may read them. */
const WORKSPACE = 'workspace';

/**
 * Creates the data directory, or closes an existing one to all other accounts. It contains conversations, passwords and
 * the files of write sessions. Throws StartError if it cannot be used or belongs to another account.
 */
export const ensurePrivateFolder = (path: string): void => {
  ensureFolder('ORION_DATA_DIR', path, 'write');
  // A person may keep the directory elsewhere, by a link.
  const directory = realpathSync(path);
  requireOwner(directory);
  restrict(directory);
  restrictEntries(directory);
};

const requireOwner = (path: string): void => {
  if (isOwn(path)) return;
  const [own, { uid }] = [process.geteuid?.(), lstatSync(path)];
  throw new StartError(
    `ORION_DATA_DIR: expected a directory of this account (${own}), received "${path}", which belongs to account ${uid}: ` +
      'start Orion under that account, give the directory to this one, or set another.',
  );
};

const isOwn = (path: string): boolean => {
  const own = process.geteuid?.();
  return own === undefined || lstatSync(path).uid === own;
};

/**
 * Takes all permissions from everybody except the owner of a file or directory. A file with several names is left as it
 * is, since one of these names may be in a workspace. Throws for a link.
 */
const restrict = (path: string): void => {
  const handle = openSync(path, OPEN_FLAGS);
  try {
    const { mode, nlink } = fstatSync(handle);
    const isDirectory = (mode & constants.S_IFMT) === constants.S_IFDIR;
    if (!isDirectory && ((mode & constants.S_IFMT) !== constants.S_IFREG || nlink > 1)) return;
    if ((mode & OTHERS_BITS) === 0) return;
    fchmodSync(handle, isDirectory ? DIRECTORY_MODE : mode & OWNER_BITS);
  } finally {
    closeSync(handle);
  }
};

/**
 * Closes the entries of a folder that belong to this account, except links and the workspace. The entries of another
 * account are left to that account.
 */
const restrictEntries = (folder: string): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if ((!entry.isFile() && !entry.isDirectory()) || entry.name === WORKSPACE || !isOwn(path)) continue;
    restrict(path);
    if (entry.isDirectory() && FOLDERS_WITH_RESTRICTED_FILES.includes(entry.name)) restrictEntries(path);
  }
};
