import { createHash, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { startTimeOf } from './process-identity.ts';

/*
 * A file whose first line, `=<pid> SIGTERM <start time>`, names the process that has claimed it. The claim counts only
 * as long as that process lives, so a killed process leaves nothing that a person has to remove.
 */

const OWNER = /^=(\d+) SIGTERM (\S+)$/;

/** Returns the first line of a file. Returns undefined if there is no file. */
const firstLine = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8').split('\n')[0];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

const livingIn = (line: string): number | undefined => {
  const [, pid, startTime] = OWNER.exec(line) ?? [];
  return pid !== undefined && startTimeOf(Number(pid)) === startTime ? Number(pid) : undefined;
};

/**
 * Returns the pid of the process that has claimed a file. Returns undefined when that process has ended, even if its
 * pid was given to another process, and when the file cannot be read.
 */
export const claimOwnerOf = (file: string): number | undefined => {
  try {
    return livingIn(firstLine(file) ?? '');
  } catch {
    return undefined;
  }
};

/**
 * Writes the claim of this process under another name beside `file`, so that `file` never has half a claim. Returns the
 * path.
 */
const writeClaim = (file: string): string => {
  const path = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(path, `=${process.pid} SIGTERM ${startTimeOf(process.pid) ?? ''}\n`, { mode: 0o600 });
  return path;
};

const tryClaim = (file: string): boolean => {
  const claim = writeClaim(file);
  try {
    // A hard link is made only if `file` does not exist, so only one of several processes succeeds.
    linkSync(claim, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(claim, { force: true });
  }
};

/**
 * Creates a file that this process has claimed. Resolves to undefined when this process has the claim, otherwise to the
 * pid of the living process that has it or is just taking it over. `inherit` runs before the file of a process that has
 * ended is replaced. To give a claim up, remove the file.
 */
export const claimFile = async (file: string, inherit?: () => Promise<void>): Promise<number | undefined> => {
  mkdirSync(dirname(file), { recursive: true });
  while (!tryClaim(file)) {
    const line = firstLine(file);
    if (line === undefined) continue;
    const claimant = livingIn(line);
    if (claimant !== undefined) return claimant;
    // No two claims have the same line, so the claim of an ended process has one heir, which is the process that claims
    // this second file.
    const heir = `${file}.after-${createHash('sha256').update(line).digest('hex').slice(0, 12)}`;
    const rival = await claimFile(heir);
    if (rival !== undefined) return rival;
    try {
      // If an earlier heir has replaced the file, there is a new claim to look at.
      if (firstLine(file) !== line) continue;
      await inherit?.();
      renameSync(writeClaim(file), file);
      return undefined;
    } finally {
      rmSync(heir, { force: true });
    }
  }
  return undefined;
};
