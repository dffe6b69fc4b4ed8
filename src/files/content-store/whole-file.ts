import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../base/errors/errno.ts';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
/** Mode of files that other accounts must not read: people's texts, and the earlier content of their files. */
const OWNER_ONLY = 0o600;

/**
 * Makes a file that exists whole or not at all, also after a power cut. `fill` writes a temp in `temps`, which is then
 * fsynced. `place` renames or links the temp to where it belongs and fsyncs that directory. If `place` leaves the temp,
 * it is removed afterwards. `temps` must lie on the same file system.
 */
export const createWholeFile = async <Filled, Placed>(
  temps: string,
  fill: (handle: FileHandle) => Promise<Filled>,
  place: (path: string, filled: Filled) => Promise<Placed>,
  mode = OWNER_ONLY,
): Promise<Placed> => {
  const path = join(temps, randomUUID());
  const handle = await open(path, NEW_FILE, mode);
  try {
    let filled: Filled;
    try {
      filled = await fill(handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return await place(path, filled);
  } finally {
    // After a rename there is nothing left; a temp that cannot be removed is left to the pruning.
    await unlink(path).catch(() => undefined);
  }
};

/** Makes renames and new entries in a directory survive a power cut. */
export const syncDirectory = async (path: string): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Opens a file for reading, undefined if there is none. The caller closes the handle. */
export const openIfExists = async (path: string): Promise<FileHandle | undefined> => {
  try {
    return await open(path, constants.O_RDONLY);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};
