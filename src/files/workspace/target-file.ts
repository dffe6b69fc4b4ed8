import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { link, lstat, open, rename, type FileHandle } from 'node:fs/promises';
import { refuseUnlessFile } from './open-file.ts';
import type { DirectoryEntry } from './walk.ts';
import { errnoOf } from '../../base/errors/errno.ts';
import { refuseUnprintable } from './workspace-path.ts';
import { freeBytes } from './write-behind.ts';
import { removeEntry } from './directory.ts';
import { KIB } from '../../contracts/values/units.ts';

/**
 * Flags for opening a target. O_RDWR refuses a file that may not be written (`withTarget`). With O_NONBLOCK, opening a
 * FIFO does not wait for its other end.
 */
const READ_WRITE_FLAGS = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** The part of a mode that says who may do what with the file, including the set-uid, set-gid and sticky bits. */
export const PERMISSION_BITS = 0o7777;
const CHUNK_BYTES = 256 * KIB;

/** Returns the bytes of a file from its beginning, chunk by chunk; the handle stays open. */
export const readBytes = (handle: FileHandle): AsyncIterable<Uint8Array> =>
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
    handle = await open(directory.pathOf(name), READ_WRITE_FLAGS);
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
export const readHandleState = async (handle: FileHandle): Promise<TargetState> => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of readBytes(handle)) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    freeBytes(chunk);
  }
  return { sha256: hash.digest('hex'), bytes };
};

/** Returns hash and size of the file at `entry`, null if there is none. */
export const readTargetState = async (entry: DirectoryEntry): Promise<TargetState | null> =>
  (await withTarget(entry, readHandleState)) ?? null;

/** Returns the size of the file at `entry` in bytes, null if there is none. Rejects as `refuseLink` does. */
export const readTargetSize = async (entry: DirectoryEntry): Promise<number | null> =>
  (await statUnlessLink(entry))?.size ?? null;

/**
 * Gives the target the content of a temp beside it. Rejects with ENOENT when the temp is gone. The change survives a
 * power cut once the directory is synced.
 */
export const replaceTarget = ({ directory, name }: DirectoryEntry, temp: string): Promise<void> =>
  rename(directory.pathOf(temp), directory.pathOf(name));

/**
 * Creates the target as a second name of the temp, which stays. Returns false when the target exists, which a rename
 * would replace.
 */
export const createTarget = async ({ directory, name }: DirectoryEntry, temp: string): Promise<boolean> => {
  try {
    await link(directory.pathOf(temp), directory.pathOf(name));
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
  await statUnlessLink(entry);
};

/** Rejects as `refuseLink` does, and with WorkspaceError for anything there that is not a regular file. */
export const refuseOtherThanFile = async (entry: DirectoryEntry): Promise<void> => {
  const stats = await statUnlessLink(entry);
  if (stats) refuseUnlessFile(stats, entry.name);
};

/** Returns the stats of an entry, undefined if there is none. Rejects as `refuseLink` does. */
const statUnlessLink = async ({ directory, name }: DirectoryEntry): Promise<Stats | undefined> => {
  const stats = await lstat(directory.pathOf(name)).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error;
  });
  if (!stats) refuseUnprintable(name);
  if (stats?.isSymbolicLink()) throw Object.assign(new Error('ELOOP'), { code: 'ELOOP' });
  return stats ?? undefined;
};
