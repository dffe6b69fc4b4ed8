import { replaceTarget, withTarget } from './target-file.ts';
import type { Place } from './walk.ts';
import { onDisk } from './workspace-error.ts';
import type { WriteFence } from './write-fence.ts';
import { removeAbandonedTemps, removeEntry, tempNameOf, writeTemp } from './write-temp.ts';

export interface ReplaceOptions {
  readonly fence: WriteFence;
  readonly signal?: AbortSignal;
}

/** The attempt may not write any more; what it would have written is nobody's concern. */
export class WriteFencedError extends Error {
  override readonly name = 'WriteFencedError';

  constructor(path: string) {
    super(`nothing was written, the call was given up or repeated meanwhile: ${path}`);
  }
}

/**
 * Gives a file its new content in one step: readers see the old bytes or the new ones, never a mixture, and so
 * does the next boot after a power cut. Mode kept; on failure or abort the target is untouched and no temp is
 * left. The fence is asked when the temp is whole: who takes the fence deletes the temp, so that an attempt which
 * sleeps between the answer and the rename has nothing to rename. Rejects with WorkspaceError about `path`,
 * WriteFencedError, the signal's reason or the fence's error.
 */
export const replaceFile = async (
  place: Place,
  path: string,
  content: Uint8Array,
  { fence, signal }: ReplaceOptions,
): Promise<'created' | 'overwritten'> => {
  const { directory } = place;
  const mode = await onDisk(path, () => withTarget(place, (_handle, bits) => Promise.resolve(bits)));
  signal?.throwIfAborted();
  await removeAbandonedTemps(directory);
  const temp = tempNameOf(fence.owner, fence.attempt);
  try {
    await onDisk(path, () => writeTemp(directory, temp, mode, (handle) => handle.writeFile(content)));
    if (!(await fence.holds())) throw new WriteFencedError(path);
    signal?.throwIfAborted();
    await onDisk(path, () => replaceTarget(place, temp));
  } catch (error) {
    // The first failure is the one to report; a temp that cannot be removed is listed nowhere.
    await removeEntry(directory, temp).catch(() => undefined);
    throw error;
  }
  await onDisk(path, () => directory.sync());
  return mode === undefined ? 'created' : 'overwritten';
};
