import { createHash } from 'node:crypto';
import { removeEntry } from './directory.ts';
import {
  readBytes,
  isSameContent,
  replaceTarget,
  readHandleState,
  readTargetState,
  type TargetState,
  withTarget,
} from './target-file.ts';
import type { DirectoryEntry } from './walk.ts';
import { errnoOf } from '../../base/errors/errno.ts';
import { withWorkspaceErrors, WorkspaceError } from './workspace-error.ts';
import type { WriteFence } from './write-fence.ts';
import { removeAbandonedTemps, tempNameOf, writeTemp } from './write-temps.ts';
import { MIB } from '../../contracts/values/units.ts';

export interface ReplaceOptions {
  readonly fence: WriteFence;
  readonly signal?: AbortSignal;
  /**
   * SHA-256 of the content that the new content was made from. A file that holds anything else by then is not replaced.
   */
  readonly expectedSha256?: string;
}

/** A file that is to be written whole, as `Workspace.withEntry` finds it. */
export interface WriteTarget {
  readonly entry: DirectoryEntry;
  /** Path as the caller gave it, which errors name. */
  readonly path: string;
  /** The target key, as `Workspace.resolveTargetKey` returns it. */
  readonly key: string;
}

/** Largest file, in bytes, of which a copy is kept. The change of a larger one cannot be undone. */
const MAX_BACKUP_BYTES = 10 * MIB;

/** Thrown by an attempt that may no longer write, before it has changed the file. */
export class WriteSupersededError extends Error {
  override readonly name = 'WriteSupersededError';

  constructor(path: string) {
    super(
      `nothing was written, the call was given up or repeated meanwhile, or the file is being undone: ${path}`,
    );
  }
}

/** Thrown when a file was replaced, but it is not certain that the change survives a power cut. */
export class WriteNotDurableError extends Error {
  override readonly name = 'WriteNotDurableError';

  constructor(path: string, cause: unknown) {
    const code = errnoOf(cause) ?? 'unknown reason';
    super(
      `The file was replaced, but its folder could not be synced (${code}), so a power cut may bring back what it held before: ${path}`,
      { cause },
    );
  }
}

/**
 * Gives a file its new content in one step: readers see the old bytes or the new ones, never a mixture, also after a
 * power cut. The mode is kept.
 *
 * - The earlier content is kept first, for an undo, unless it is large.
 * - The fence is checked when the temp is whole. Whatever takes the fence deletes the temp, so an attempt that sleeps
 *   between the check and the rename has nothing to rename.
 * - A file that has changed by the last look before the rename is not replaced.
 * - On an abort, or a failure before the rename, the target is untouched and the temp is removed.
 *
 * Rejects with WorkspaceError about `path`, WriteSupersededError, the signal's reason or the fence's error. The file is
 * then as it was. Rejects with WriteNotDurableError if the file is replaced and its directory cannot be fsynced.
 */
export const replaceFile = async (
  { entry, path, key }: WriteTarget,
  content: Uint8Array,
  { fence, signal, expectedSha256 }: ReplaceOptions,
): Promise<'created' | 'overwritten'> => {
  const { directory } = entry;
  const current = await withWorkspaceErrors(path, () => backUpFile(entry, fence));
  const before = current?.state ?? null;
  if (expectedSha256 !== undefined && before?.sha256 !== expectedSha256) throw fileChangedError(path);
  signal?.throwIfAborted();
  await removeAbandonedTemps(directory);
  const temp = tempNameOf(fence.writeName, fence.attempt);
  try {
    await withWorkspaceErrors(path, () =>
      writeTemp(directory, temp, current?.mode, (handle) => handle.writeFile(content)),
    );
    const write = { path, targetKey: key, before, after: stateOfBytes(content) };
    if (!(await fence.plan(write))) throw new WriteSupersededError(path);
    signal?.throwIfAborted();
    await withWorkspaceErrors(path, async () => {
      if (!isSameContent(await readTargetState(entry), before)) throw fileChangedError(path);
      await replaceTarget(entry, temp);
    });
  } catch (error) {
    // The first failure is the one to report. A temp that cannot be removed is never listed, and a later write in its
    // directory removes it.
    await removeEntry(directory, temp).catch(() => undefined);
    throw error;
  }
  await directory.sync().catch((error: unknown) => {
    throw new WriteNotDurableError(path, error);
  });
  return before === null ? 'created' : 'overwritten';
};

interface CurrentFile {
  readonly state: TargetState;
  /** The permission bits of the file. */
  readonly mode: number;
}

/**
 * Keeps the file's content for an undo unless it is large, and returns its state. Returns undefined when there is no
 * file.
 */
const backUpFile = (entry: DirectoryEntry, fence: WriteFence): Promise<CurrentFile | undefined> =>
  withTarget(entry, async (handle, mode) => {
    const { size } = await handle.stat();
    return {
      mode,
      state: await (size > MAX_BACKUP_BYTES ? readHandleState(handle) : fence.storeCopy(readBytes(handle))),
    };
  });

const stateOfBytes = (content: Uint8Array): TargetState => ({
  sha256: createHash('sha256').update(content).digest('hex'),
  bytes: content.byteLength,
});

const fileChangedError = (path: string): WorkspaceError =>
  new WorkspaceError('changed', path, 'nothing was written, somebody else changed the file meanwhile');
