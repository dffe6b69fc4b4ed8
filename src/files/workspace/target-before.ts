import { createHash } from 'node:crypto';
import { readHandleState, withTarget } from './target-file.ts';
import type { DirectoryEntry } from './walk.ts';
import { KIB } from '../../contracts/values/units.ts';

/** A file as it was before a change: hash and size, and its content where it may be shown. */
export interface TargetBefore {
  readonly sha256: string;
  readonly bytes: number;
  /** The file's content. Absent if it is large, or a secret that is not shown. */
  readonly content?: Buffer;
}

/** Largest file, in bytes, whose change is shown. Nobody compares larger ones. */
export const MAX_PREVIEWED_BYTES = 256 * KIB;

/**
 * Reads the state of the file at `entry`, null if there is none. Hash and content belong to the same bytes. `isShown`
 * is false for a file whose content must not be returned.
 */
export const readTargetBefore = async (
  entry: DirectoryEntry,
  isShown: boolean,
): Promise<TargetBefore | null> => {
  const before = await withTarget(entry, async (handle): Promise<TargetBefore> => {
    const { size } = await handle.stat();
    if (!isShown || size > MAX_PREVIEWED_BYTES) return readHandleState(handle);
    const content = await handle.readFile();
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { sha256, bytes: content.byteLength, content };
  });
  return before ?? null;
};
