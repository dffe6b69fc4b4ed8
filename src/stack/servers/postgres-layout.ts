import { createHash, randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  chmodSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../base/errors/start-error.ts';
import { errnoOf } from '../../base/errors/errno.ts';
import { ensureMachineFolder } from './machine-folder.ts';
import { listFormerAccounts, type PostgresAccount } from './postgres-account.ts';

/** The paths of the database that belongs to a data directory. */
export interface PostgresLayout {
  /** Postgres's own data directory, which only its account may open. */
  readonly cluster: string;
  /**
   * The file of allowed connections (pg_hba.conf). It is outside of the cluster, so that the account of Postgres cannot
   * change it.
   */
  readonly hbaFile: string;
  /**
   * The folder outside of the data directory that contains `cluster` and `hbaFile`. Undefined if both are in the data
   * directory.
   */
  readonly outside: string | undefined;
}

/** Name of the link in the data directory that leads to a database outside of it. */
const LINK = 'postgres-place';

/**
 * Finds or makes the folders for the database of a data directory, and moves the database of an earlier version there.
 * `account` is the result of `ensurePostgresAccount`. Another account cannot open the data directory, so the folders
 * are outside of it then, and `log` is given a line with their place. Throws StartError if that is not possible.
 */
export const preparePostgresLayout = (
  dataDir: string,
  account: PostgresAccount | undefined,
  log: (line: string) => void,
): PostgresLayout => {
  if (account === undefined) {
    const cluster = join(dataDir, 'postgres');
    return { cluster, hbaFile: join(dataDir, 'postgres-access.conf'), outside: undefined };
  }
  const outside = ensureOutsideFolder(dataDir);
  log(`the database is in ${outside}: to remove everything, remove this folder and ${dataDir}`);
  const cluster = join(outside, 'cluster');
  if (!existsSync(cluster)) adoptFormerCluster(dataDir, account, cluster, log);
  return { cluster, hbaFile: join(outside, 'access.conf'), outside };
};

/**
 * Returns the folder for a database outside of the data directory, and makes it at the first call. Nobody can guess its
 * name, which is kept as a link in the data directory. Throws StartError if the folder is gone.
 */
const ensureOutsideFolder = (dataDir: string): string => {
  const link = join(dataDir, LINK);
  const machineFolder = ensureMachineFolder();
  if (!isPresent(link)) {
    const newFolder = join(machineFolder, randomBytes(16).toString('hex'));
    mkdirSync(newFolder);
    chmodSync(newFolder, 0o711);
    symlinkSync(newFolder, link);
  }
  const folder = readlinkSync(link);
  if (existsSync(folder)) return folder;
  throw new StartError(
    `${link} leads to ${folder}, which is gone, and the database with it: remove the link to begin with an empty one, or put the folder back.`,
  );
};

const isPresent = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/**
 * Moves the cluster of an earlier version to its new place, if there is one. It moves in two steps, so that the next
 * start continues a move that was cut short between them.
 */
const adoptFormerCluster = (
  dataDir: string,
  account: PostgresAccount,
  cluster: string,
  log: (line: string) => void,
): void => {
  const movedCluster = `${cluster}.moved`;
  if (!existsSync(movedCluster)) {
    const former = findFormerCluster(dataDir);
    if (former === undefined) {
      reportPublicCluster(dataDir, log);
      return;
    }
    log(`moving the database from ${former} to ${cluster}, which other accounts cannot reach`);
    moveFolder(former, movedCluster);
  }
  changeOwner(account, movedCluster);
  renameSync(movedCluster, cluster);
};

/**
 * Returns the place where an earlier version kept the database of a data directory. Returns undefined if there is
 * nothing, or if it does not belong to an account of earlier versions.
 */
const findFormerCluster = (dataDir: string): string | undefined => {
  const inside = join(dataDir, 'postgres');
  return isFormer(inside) ? inside : undefined;
};

const isFormer = (path: string): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && listFormerAccounts().includes(stats.uid);
};

/**
 * Reports a cluster in a public folder, where an earlier version kept it when its account could not reach the data
 * directory. It is reported and not used, because anybody may have put it there, with settings that run programs.
 */
const reportPublicCluster = (dataDir: string, log: (line: string) => void): void => {
  const inside = join(dataDir, 'postgres');
  const hash = createHash('sha256').update(inside).digest('hex').slice(0, 12);
  const path = join('/var/tmp', `orion-postgres-${hash}`);
  if (!isFormer(path)) return;
  log(
    `${path} may be the database of an earlier version, or laid out by another account, so it is not taken up. If it is yours: stop Orion, remove ${join(dataDir, LINK)}, move it to ${inside}, start again.`,
  );
};

/** Moves a folder. A process that is killed meanwhile leaves either all of it or nothing at `to`. */
const moveFolder = (from: string, to: string): void => {
  try {
    renameSync(from, to);
  } catch (error) {
    // A rename cannot cross file systems.
    if (errnoOf(error) !== 'EXDEV') throw error;
    const unfinished = `${to}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    cpSync(from, unfinished, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    renameSync(unfinished, to);
    rmSync(from, { recursive: true });
  }
};

/**
 * Gives a tree to an account, from the top: once a folder has its new owner, the old one can put nothing into it.
 * Folders are closed to all other accounts, since a copy does not keep permissions. Symbolic links change owner, their
 * targets do not. Throws StartError for a file with several hard links.
 */
const changeOwner = (account: PostgresAccount, path: string): void => {
  const stats = lstatSync(path);
  if (stats.isFile() && stats.nlink > 1) {
    throw new StartError(`${path} has several names, one of which may be of another program: remove it.`);
  }
  lchownSync(path, account.uid, account.gid);
  if (!stats.isDirectory()) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) changeOwner(account, join(path, name));
};
