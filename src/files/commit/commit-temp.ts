import { constants, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ContentRef } from '../../contracts/write-session/write-session.ts';
import type { ContentStore } from '../content-store/content-store.ts';
import { removeEntry, type Directory } from '../workspace/directory.ts';
import {
  isSameContent,
  readHandleState,
  type TargetState,
  PERMISSION_BITS,
} from '../workspace/target-file.ts';
import { openTemp, writeTemp } from '../workspace/write-temps.ts';
import { composeFile, contentLostError, contentPart, undoPart } from './content-parts.ts';

/** Describes the file that is to become the target: what it is made of, and where it is made. */
export interface CommitTempSpec {
  readonly sessionId: string;
  readonly directory: Directory;
  /** Name of the file in `directory` until the file gets the target's name. */
  readonly temp: string;
  /** Permission bits. Undefined means those of any new file. */
  readonly mode: number | undefined;
  readonly content: ContentRef;
  /**
   * The earlier content of the target, which an append begins with and of which an undo copy is kept. Null for a file
   * that consists of `content` only.
   */
  readonly appendTo: TargetState | null;
  readonly signal: AbortSignal;
}

/**
 * Makes the file that is to become the target, whole and fsynced. Returns the hash and size of what it holds. Rejects
 * with CommitRefusedError when stored content is gone or damaged, with the signal's reason, or with the file system's
 * error.
 */
export const createCommitTemp = async (
  contents: ContentStore,
  spec: CommitTempSpec,
): Promise<TargetState> => {
  const { sessionId, directory, temp, mode, content, appendTo, signal } = spec;
  if (appendTo === null && (await linkTemp(spec, contents))) {
    return { sha256: content.sha256, bytes: content.bytes };
  }
  const parts = [
    ...(appendTo === null ? [] : [undoPart(contents, appendTo)]),
    contentPart(contents, sessionId, content),
  ];
  return writeTemp(directory, temp, mode, (handle) => composeFile(handle, parts, signal));
};

const READ = constants.O_RDONLY | constants.O_NOFOLLOW;
/** Number of names (hard links) of a stored file that is not also a file of a workspace. */
const SINGLE_LINK = 1;

/**
 * Makes the stored content itself the temp by giving it a second name (a hard link), so that nothing is written or
 * fsynced twice. It does so only where the stored file has the owner, group and permissions that a copy would get, and
 * is not also another target. Otherwise it returns false and leaves no temp. Rejects with CommitRefusedError when the
 * stored file does not hold `content`. The permission bits are compared, never set: an attempt that wakes up late would
 * set them on the very file that a later attempt may have made a target.
 *
 * A program that changes the target in place afterwards changes the stored file, too. The hash in its name is then
 * wrong, so every use of stored content checks the hash.
 */
const linkTemp = async (
  { sessionId, directory, temp, mode, content }: CommitTempSpec,
  contents: Pick<ContentStore, 'open' | 'link'>,
): Promise<boolean> => {
  const fresh = await statNewFile(directory, temp);
  const storedStats = await statStored(contents, sessionId, content);
  if (storedStats.nlink !== SINGLE_LINK || storedStats.uid !== fresh.uid || storedStats.gid !== fresh.gid) {
    return false;
  }
  if ((storedStats.mode & PERMISSION_BITS) !== ((mode ?? fresh.mode) & PERMISSION_BITS)) return false;
  if (!(await contents.link(sessionId, content.sha256, directory.pathOf(temp)))) return false;
  const handle = await open(directory.pathOf(temp), READ);
  try {
    const linkedStats = await handle.stat();
    // Checks the number of names first. If there are two, one is this temp, and the comparison with the store's file
    // shows that the other is the store's.
    const isOurs =
      linkedStats.nlink === SINGLE_LINK + 1 &&
      isOneFile(linkedStats, storedStats) &&
      isOneFile(linkedStats, await statStored(contents, sessionId, content));
    if (!isOurs) {
      await removeEntry(directory, temp);
      return false;
    }
    if (!isSameContent(await readHandleState(handle), content)) throw contentLostError(content);
    await handle.sync();
    return true;
  } finally {
    await handle.close();
  }
};

const isOneFile = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev;

/**
 * Returns the mode and owner of a new file in the directory. They depend on the umask and on the directory's group and
 * rules, so a file is made, looked at and removed.
 */
const statNewFile = async (directory: Directory, name: string): Promise<Stats> => {
  const handle = await openTemp(directory, name);
  try {
    return await handle.stat();
  } finally {
    await handle.close();
    await removeEntry(directory, name);
  }
};

const statStored = async (
  contents: Pick<ContentStore, 'open'>,
  sessionId: string,
  content: ContentRef,
): Promise<Stats> => {
  const handle = await contents.open(sessionId, content.sha256);
  if (handle === undefined) throw contentLostError(content);
  try {
    return await handle.stat();
  } finally {
    await handle.close();
  }
};
