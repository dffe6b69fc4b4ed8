/*
 * A file whose first line, `=<pid> SIGTERM <start time>`, names the process that has locked it. The lock counts only as
 * long as that process lives, so a killed process leaves nothing that a person has to remove.
 */
import { createHash, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readStartTime } from './process-identity.ts';
import { errnoOf } from '../../base/errors/errno.ts';

const OWNER = /^=(\d+) SIGTERM (\S+)$/;

/**
 * Returns the pid of the process that has locked a file. Returns undefined when that process has ended, even if its
 * pid was given to another process, and when the file cannot be read.
 */
export const findLockOwner = (file: string): number | undefined => {
  try {
    return findLivingOwner(readFirstLine(file) ?? '');
  } catch {
    return undefined;
  }
};

/**
 * Locks a file, which is created. Resolves to undefined when this process has the lock, otherwise to the pid of the
 * living process that has it or is just taking it over. `inherit` runs before the file of a process that has ended is
 * replaced. To unlock it, remove the file.
 */
export const takeLock = async (file: string, inherit?: () => Promise<void>): Promise<number | undefined> => {
  mkdirSync(dirname(file), { recursive: true });
  while (!tryLock(file)) {
    const line = readFirstLine(file);
    if (line === undefined) continue;
    const owner = findLivingOwner(line);
    if (owner !== undefined) return owner;
    // No two locks have the same line, so the lock of an ended process has one successor: the process that locks
    // this second file.
    const successor = `${file}.after-${createHash('sha256').update(line).digest('hex').slice(0, 12)}`;
    const rival = await takeLock(successor);
    if (rival !== undefined) return rival;
    try {
      // If an earlier successor has replaced the file, there is a new line to look at.
      if (readFirstLine(file) !== line) continue;
      await inherit?.();
      renameSync(writeOwnLine(file), file);
      return undefined;
    } finally {
      rmSync(successor, { force: true });
    }
  }
  return undefined;
};

const tryLock = (file: string): boolean => {
  const path = writeOwnLine(file);
  try {
    // A hard link is made only if `file` does not exist, so only one of several processes succeeds.
    linkSync(path, file);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(path, { force: true });
  }
};

/**
 * Writes the line of this process under another name beside `file`, so that `file` never has half a line. Returns the
 * path.
 */
const writeOwnLine = (file: string): string => {
  const path = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(path, `=${process.pid} SIGTERM ${readStartTime(process.pid) ?? ''}\n`, { mode: 0o600 });
  return path;
};

const findLivingOwner = (line: string): number | undefined => {
  const [, pid, startTime] = OWNER.exec(line) ?? [];
  return pid !== undefined && readStartTime(Number(pid)) === startTime ? Number(pid) : undefined;
};

/** Returns the first line of a file. Returns undefined if there is no file. */
const readFirstLine = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8').split('\n')[0];
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};
