import { constants } from 'node:fs';
import { lstat, open, readdir, unlink, type FileHandle } from 'node:fs/promises';
import { removeEntry, type Directory } from './directory.ts';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const NEW_FILE_MODE = 0o666;
const TEMP_PREFIX = '.orion-tmp-';
/**
 * Age in milliseconds from which a temp counts as left by a killed process. A write that sleeps this long fails,
 * because its temp is gone.
 */
const ABANDONED_MS = 10 * 60_000;

/** Reports whether a name is the name of an unfinished write's temp. */
export const isTempName = (name: string): boolean => name.startsWith(TEMP_PREFIX);

/**
 * Returns the name of the temp of one attempt to write. `writeName` names the write that the attempt belongs to, and
 * must be safe as a part of a file name.
 */
export const tempNameOf = (writeName: string, attempt: number | string): string =>
  `${TEMP_PREFIX}${writeName}-${attempt}`;

/**
 * Deletes the temps of the attempts 1 … `last`. An attempt that was paused before its rename and wakes up later finds
 * its temp gone, and with it the means to touch the target (docs/write-sessions.md). The names of the temps are known,
 * so no large directory is read.
 */
export const removeWriteTemps = async (
  directory: Directory,
  writeName: string,
  last: number,
): Promise<void> => {
  for (let attempt = 1; attempt <= last; attempt += 1) {
    await removeEntry(directory, tempNameOf(writeName, attempt));
  }
};

/** Opens a new temp for writing, with the permission bits of any new file; the caller closes the handle. */
export const openTemp = (directory: Directory, name: string): Promise<FileHandle> =>
  open(directory.pathOf(name), NEW_FILE, NEW_FILE_MODE);

/**
 * Fills a new temp and fsyncs it. `mode` is its permission bits; undefined means those of any new file. The temp stays
 * on failure.
 */
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

/**
 * Removes the temps in a directory that killed processes have left. What cannot be removed is left to the next write
 * there.
 */
export const removeAbandonedTemps = async (directory: Directory): Promise<void> => {
  const temps = (await readdir(directory.base).catch(() => [])).filter(isTempName);
  for (const temp of temps) {
    const stats = await lstat(directory.pathOf(temp)).catch(() => undefined);
    if (stats === undefined || Date.now() - stats.mtimeMs < ABANDONED_MS) continue;
    await unlink(directory.pathOf(temp)).catch(() => undefined);
  }
};
