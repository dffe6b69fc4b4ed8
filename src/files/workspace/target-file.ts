import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { link, lstat, open, rename } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { letGo } from './let-go.ts';
import { refuseUnlessFile } from './open-file.ts';
import type { Place } from './walk.ts';
import { errnoOf } from './workspace-error.ts';
import { refuseUnprintable } from './workspace-path.ts';
import { removeEntry } from './write-temp.ts';

/** O_NONBLOCK: opening a FIFO must not wait for its other end. */
const BOTH_WAYS = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const PERMISSION_BITS = 0o7777;
const CHUNK_BYTES = 256 * 1024;

/** The bytes of a file from its beginning, chunk by chunk; the handle stays open. */
export const bytesOf = (handle: FileHandle): AsyncIterable<Uint8Array> =>
  handle.createReadStream({ start: 0, autoClose: false, highWaterMark: CHUNK_BYTES });

/** What stands at the target. */
export interface TargetState {
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * Runs `use` with the file at `place`; undefined if there is none. Refuses what is no regular file, and, opened
 * for writing too, a file that its owner has made read-only: a rename would replace even that.
 */
export const withTarget = async <T>(
  { directory, name }: Place,
  use: (handle: FileHandle, mode: number) => Promise<T>,
): Promise<T | undefined> => {
  let handle: FileHandle;
  try {
    handle = await open(directory.at(name), BOTH_WAYS);
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

/** Hash and size of an open file; the handle stays open. */
export const stateOf = async (handle: FileHandle): Promise<TargetState> => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of bytesOf(handle)) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    letGo(chunk);
  }
  return { sha256: hash.digest('hex'), bytes };
};

/** Hash and size of the file at `place`, null if there is none. */
export const stateOfTarget = async (place: Place): Promise<TargetState | null> =>
  (await withTarget(place, stateOf)) ?? null;

/** Bytes of the file at `place`, null if there is none. */
export const sizeOfTarget = async (place: Place): Promise<number | null> =>
  (await entryBehindLinks(place))?.size ?? null;

/**
 * Gives the target the content of a temp beside it. Rejects with ENOENT when the temp is gone. It survives a power
 * cut once the directory is synced.
 */
export const replaceTarget = ({ directory, name }: Place, temp: string): Promise<void> =>
  rename(directory.at(temp), directory.at(name));

/** The same for a target that must not exist yet, which no rename can promise; false: it does. The temp stays. */
export const createTarget = async ({ directory, name }: Place, temp: string): Promise<boolean> => {
  try {
    await link(directory.at(temp), directory.at(name));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
};

/** Rejects unless there is no target afterwards. */
export const removeTarget = ({ directory, name }: Place): Promise<void> => removeEntry(directory, name);

/** Rejects with ELOOP, upon which a walk goes on at the link's target; refuses a name that no new file may have. */
export const refuseLink = async (place: Place): Promise<void> => {
  await entryBehindLinks(place);
};

/** As `refuseLink`, and refuses what stands there and is no regular file. */
export const refuseNoFile = async (place: Place): Promise<void> => {
  const stats = await entryBehindLinks(place);
  if (stats) refuseUnlessFile(stats, place.name);
};

const entryBehindLinks = async ({ directory, name }: Place): Promise<Stats | undefined> => {
  const stats = await lstat(directory.at(name)).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error;
  });
  if (!stats) refuseUnprintable(name);
  if (stats?.isSymbolicLink()) throw Object.assign(new Error('ELOOP'), { code: 'ELOOP' });
  return stats ?? undefined;
};
