import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, rename, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Directory } from './directory.ts';
import { refuseUnlessFile } from './open-file.ts';
import type { Place } from './walk.ts';
import { errnoOf } from './workspace-error.ts';

const PROBE = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const PERMISSION_BITS = 0o7777;

const TEMP_PREFIX = '.orion-tmp-';
/** No write takes this long: a temp of this age was left by a process that was killed. */
const ABANDONED_MS = 10 * 60_000;

/** True for the name of a file that a write has not finished. */
export const isTempName = (name: string): boolean => name.startsWith(TEMP_PREFIX);

/**
 * Gives a file its new content in one step: readers see the old bytes or the new ones, never a mixture, and so
 * does the next boot after a power cut. Mode kept; on failure or abort the target is untouched and no temp is
 * left. Rejects with ELOOP when the target is a link.
 */
export const replaceFile = async (
  { directory, name }: Place,
  content: Uint8Array,
  signal?: AbortSignal,
): Promise<'created' | 'overwritten'> => {
  const mode = await modeOfTarget(directory.at(name), name);
  signal?.throwIfAborted();
  await removeAbandonedTemps(directory);
  const temp = directory.at(TEMP_PREFIX + randomBytes(8).toString('hex'));
  const handle = await open(temp, NEW_FILE, 0o666);
  try {
    await fill(handle, content, mode);
    signal?.throwIfAborted();
    await rename(temp, directory.at(name));
  } catch (error) {
    // The first failure is the one to report; a temp that cannot be removed is listed nowhere.
    await unlink(temp).catch(() => undefined);
    throw error;
  }
  await directory.sync();
  return mode === undefined ? 'created' : 'overwritten';
};

/**
 * Permission bits of the target, undefined if there is none. Opened for writing, because a rename would replace
 * even a file that its owner has made read-only.
 */
const modeOfTarget = async (path: string, name: string): Promise<number | undefined> => {
  let handle: FileHandle;
  try {
    handle = await open(path, PROBE);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stats = await handle.stat();
    refuseUnlessFile(stats, name);
    return stats.mode & PERMISSION_BITS;
  } finally {
    await handle.close();
  }
};

const fill = async (handle: FileHandle, content: Uint8Array, mode: number | undefined): Promise<void> => {
  try {
    await handle.writeFile(content);
    if (mode !== undefined) await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Best effort: what cannot be removed now is left to the next write in this directory. */
const removeAbandonedTemps = async (directory: Directory): Promise<void> => {
  const temps = (await readdir(directory.base).catch(() => [])).filter(isTempName);
  for (const temp of temps) {
    const stats = await lstat(directory.at(temp)).catch(() => undefined);
    if (stats === undefined || Date.now() - stats.mtimeMs < ABANDONED_MS) continue;
    await unlink(directory.at(temp)).catch(() => undefined);
  }
};
