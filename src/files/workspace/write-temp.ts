import { constants } from 'node:fs';
import { lstat, open, readdir, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Directory } from './directory.ts';
import { errnoOf } from './workspace-error.ts';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const NEW_FILE_MODE = 0o666;
const TEMP_PREFIX = '.orion-tmp-';
/** No write takes this long: a temp of this age was left by a process that was killed. */
const ABANDONED_MS = 10 * 60_000;

/** True for the name of a file that a write has not finished. */
export const isTempName = (name: string): boolean => name.startsWith(TEMP_PREFIX);

/** Name of the temp of one attempt to write; `owner`: whose attempts they are, safe as a part of a name. */
export const tempNameOf = (owner: string, attempt: number | string): string =>
  `${TEMP_PREFIX}${owner}-${attempt}`;

/**
 * Deletes the temps of the attempts 1 … `last`. An attempt that was paused before its rename and wakes up later
 * finds its temp gone, and with it the means to touch the target (docs/write-sessions.md). Their names
 * are known, so no large directory is read.
 */
export const removeTempsOf = async (directory: Directory, owner: string, last: number): Promise<void> => {
  for (let attempt = 1; attempt <= last; attempt += 1) {
    await removeEntry(directory, tempNameOf(owner, attempt));
  }
};

/** Rejects unless the entry is gone afterwards. */
export const removeEntry = async (directory: Directory, name: string): Promise<void> => {
  await unlink(directory.at(name)).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error;
  });
};

/** Opens a new temp for writing, with the permission bits of any new file; the caller closes the handle. */
export const openTemp = (directory: Directory, name: string): Promise<FileHandle> =>
  open(directory.at(name), NEW_FILE, NEW_FILE_MODE);

/** Fills a new temp, fsynced; `mode`: permission bits, absent: those of any new file. Left behind on failure. */
export const writeTemp = async <T>(
  directory: Directory,
  name: string,
  mode: number | undefined,
  fill: (handle: FileHandle) => Promise<T>,
): Promise<T> => {
  const handle = await openTemp(directory, name);
  try {
    const filled = await fill(handle);
    if (mode !== undefined) await handle.chmod(mode);
    await handle.sync();
    return filled;
  } finally {
    await handle.close();
  }
};

/** Best effort: what cannot be removed now is left to the next write in this directory. */
export const removeAbandonedTemps = async (directory: Directory): Promise<void> => {
  const temps = (await readdir(directory.base).catch(() => [])).filter(isTempName);
  for (const temp of temps) {
    const stats = await lstat(directory.at(temp)).catch(() => undefined);
    if (stats === undefined || Date.now() - stats.mtimeMs < ABANDONED_MS) continue;
    await unlink(directory.at(temp)).catch(() => undefined);
  }
};
