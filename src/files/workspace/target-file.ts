import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { link, lstat, open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import type { Directory } from './directory.ts';
import { refuseUnlessFile } from './open-file.ts';
import type { DirectoryEntry } from './walk.ts';
import { errnoOf } from '../../base/errors/errno.ts';
import { refuseUnprintable } from './workspace-path.ts';
import { freeBytes } from './write-behind.ts';

/**
 * Flags for opening a target. O_RDWR refuses a file that may not be written (`withTarget`). With O_NONBLOCK, opening a
 * FIFO does not wait for its other end.
 */
const READ_WRITE_FLAGS = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** The part of a mode that says who may do what with the file, including the set-uid, set-gid and sticky bits. */
export const PERMISSION_BITS = 0o7777;
const CHUNK_BYTES = 256 * 1024;

/** Returns the bytes of a file from its beginning, chunk by chunk; the handle stays open. */
export const bytesOf = (handle: FileHandle): AsyncIterable<Uint8Array> =>
  handle.createReadStream({ start: 0, autoClose: false, highWaterMark: CHUNK_BYTES });

/** The state of a target: size and SHA-256 of its content. */
export interface TargetState {
  readonly sha256: string;
  readonly bytes: number;
}

/** Reports whether two states of a file, null for none, hold the same bytes. */
export const isSameContent = (a: TargetState | null, b: TargetState | null): boolean =>
  a?.sha256 === b?.sha256 && a?.bytes === b?.bytes;

/**
 * Runs `use` with an open handle of the file at `entry` and its permission bits. Returns undefined if there is no file.
 * Rejects for anything but a regular file, and for a file that may not be written. It is opened for writing, too,
 * because a rename would replace even a read-only file.
 */
export const withTarget = async <T>(
  { directory, name }: DirectoryEntry,
  use: (handle: FileHandle, mode: number) => Promise<T>,
): Promise<T | undefined> => {
  let handle: FileHandle;
  try {
    handle = await open(directory.at(name), READ_WRITE_FLAGS);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stats = await handle.stat();
    refuseUnlessFile(stats, name);
    return await use(handle, stats.mode & PERMISSION_BITS);
  } finally {
    await handle.close();
  }
};

/** Returns hash and size of an open file; the handle stays open. */
export const stateOfHandle = async (handle: FileHandle): Promise<TargetState> => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of bytesOf(handle)) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    freeBytes(chunk);
  }
  return { sha256: hash.digest('hex'), bytes };
};

/** Returns hash and size of the file at `entry`, null if there is none. */
export const readTargetState = async (entry: DirectoryEntry): Promise<TargetState | null> =>
  (await withTarget(entry, stateOfHandle)) ?? null;

/** Returns the size of the file at `entry` in bytes, null if there is none. Rejects as `refuseLink` does. */
export const sizeOfTarget = async (entry: DirectoryEntry): Promise<number | null> =>
  (await statsUnlessLink(entry))?.size ?? null;

/**
 * Gives the target the content of a temp beside it. Rejects with ENOENT when the temp is gone. The change survives a
 * power cut once the directory is synced.
 */
export const replaceTarget = ({ directory, name }: DirectoryEntry, temp: string): Promise<void> =>
  rename(directory.at(temp), directory.at(name));

/**
 * Creates the target as a second name of the temp, which stays. Returns false when the target exists, which a rename
 * would replace.
 */
export const createTarget = async ({ directory, name }: DirectoryEntry, temp: string): Promise<boolean> => {
  try {
    await link(directory.at(temp), directory.at(name));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
};

/** Removes the target, if it exists. Rejects unless there is none afterwards. */
export const removeTarget = ({ directory, name }: DirectoryEntry): Promise<void> =>
  removeEntry(directory, name);

/**
 * Rejects with ELOOP for a link, after which a walk continues at the link's target. Rejects with WorkspaceError for a
 * missing file whose name no new file may have.
 */
export const refuseLink = async (entry: DirectoryEntry): Promise<void> => {
  await statsUnlessLink(entry);
};

/** Rejects as `refuseLink` does, and with WorkspaceError for anything there that is not a regular file. */
export const refuseNoFile = async (entry: DirectoryEntry): Promise<void> => {
  const stats = await statsUnlessLink(entry);
  if (stats) refuseUnlessFile(stats, entry.name);
};

/** Returns the stats of an entry, undefined if there is none. Rejects as `refuseLink` does. */
const statsUnlessLink = async ({ directory, name }: DirectoryEntry): Promise<Stats | undefined> => {
  const stats = await lstat(directory.at(name)).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error;
  });
  if (!stats) refuseUnprintable(name);
  if (stats?.isSymbolicLink()) throw Object.assign(new Error('ELOOP'), { code: 'ELOOP' });
  return stats ?? undefined;
};

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
 * Returns the name of the temp of one attempt to write. `owner` names the write that the attempt belongs to, and must
 * be safe as a part of a file name.
 */
export const tempNameOf = (owner: string, attempt: number | string): string =>
  `${TEMP_PREFIX}${owner}-${attempt}`;

/**
 * Deletes the temps of the attempts 1 … `last`. An attempt that was paused before its rename and wakes up later finds
 * its temp gone, and with it the means to touch the target (docs/write-sessions.md). The names of the temps are known,
 * so no large directory is read.
 */
export const removeTempsOf = async (directory: Directory, owner: string, last: number): Promise<void> => {
  for (let attempt = 1; attempt <= last; attempt += 1) {
    await removeEntry(directory, tempNameOf(owner, attempt));
  }
};

/** Removes an entry that is not a directory, if it exists. Rejects unless it is gone afterwards. */
export const removeEntry = async (directory: Directory, name: string): Promise<void> => {
  await unlink(directory.at(name)).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error;
  });
};

/** Opens a new temp for writing, with the permission bits of any new file; the caller closes the handle. */
export const openTemp = (directory: Directory, name: string): Promise<FileHandle> =>
  open(directory.at(name), NEW_FILE, NEW_FILE_MODE);

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
    const stats = await lstat(directory.at(temp)).catch(() => undefined);
    if (stats === undefined || Date.now() - stats.mtimeMs < ABANDONED_MS) continue;
    await unlink(directory.at(temp)).catch(() => undefined);
  }
};
