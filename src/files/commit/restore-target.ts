import { randomUUID } from 'node:crypto';
import type { ContentStore } from '../content-store/content-store.ts';
import { removeEntry } from '../workspace/directory.ts';
import {
  isSameContent,
  removeTarget,
  replaceTarget,
  readTargetState,
  withTarget,
  type TargetState,
} from '../workspace/target-file.ts';
import type { DirectoryEntry } from '../workspace/walk.ts';
import { tempNameOf, writeTemp } from '../workspace/write-temps.ts';
import { composeFile, undoPart } from './content-parts.ts';

/** The states of a file that is to be restored, and the check before the change. */
export interface TargetRestore {
  /** The state to bring back. Null means that the file is removed. */
  readonly before: TargetState | null;
  /** The state in which the caller has just seen the file. Null if there is no file. */
  readonly current: TargetState | null;
  /** Called before the change; rejects when it must not happen. */
  readonly assertLockHeld: () => Promise<void>;
}

/**
 * Gives a file its earlier content back, from its undo copy, in one step, and keeps its mode. Removes a file that did
 * not exist before. The change survives a power cut once the directory is synced. Returns false when the file has
 * changed since the caller saw it. Rejects with CommitRefusedError when there is no copy, with the file system's error,
 * or with what `assertLockHeld` rejects with. The file is then as it was.
 */
export const restoreTarget = async (
  contents: Pick<ContentStore, 'undo'>,
  { before, current, assertLockHeld }: TargetRestore,
  entry: DirectoryEntry,
): Promise<boolean> => {
  // The last look before the change: an edit that a person saves while `assertLockHeld` runs must not be lost.
  const isAsSeen = async (): Promise<boolean> => {
    await assertLockHeld();
    return isSameContent(await readTargetState(entry), current);
  };
  if (before === null) {
    if (!(await isAsSeen())) return false;
    await removeTarget(entry);
    return true;
  }
  const temp = tempNameOf('undo', randomUUID());
  try {
    const mode = await withTarget(entry, (_handle, bits) => Promise.resolve(bits));
    await writeTemp(entry.directory, temp, mode, (to) => composeFile(to, [undoPart(contents, before)]));
    if (!(await isAsSeen())) return false;
    await replaceTarget(entry, temp);
    return true;
  } finally {
    // After a rename there is no temp. One that cannot be removed now is left to `removeAbandonedTemps`.
    await removeEntry(entry.directory, temp).catch(() => undefined);
  }
};

/**
 * Makes the undo of a file durable. Call it also when the file was found as it was before, because an earlier undo may
 * have died first. It must not run within `withWorkspaceErrors`, because a WorkspaceError would be reported as a
 * refusal, which leaves the file untouched. Rejects with the file system's error, after which the undo may be repeated.
 */
export const syncUndone = ({ directory }: DirectoryEntry): Promise<void> => directory.sync();
