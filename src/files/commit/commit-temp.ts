import { constants, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ContentRef } from '../../contracts/write-session/write-session.ts';
import type { ContentStore } from '../content-store/content-store.ts';
import type { Directory } from '../workspace/directory.ts';
import {
  isSameContent,
  openTemp,
  removeEntry,
  targetStateOf,
  type TargetState,
  writeTemp,
  PERMISSION_BITS,
} from '../workspace/target-file.ts';
import { composeFile, contentLost, contentPart, undoPart } from './content-parts.ts';

/** The file that is to become the target, before it is made. */
export interface CommitTemp {
  readonly sessionId: string;
  readonly directory: Directory;
  readonly temp: string;
  /** Permission bits. Absent means those of any new file. */
  readonly mode: number | undefined;
  readonly content: ContentRef;
  /** The content that precedes the new one, of which an undo copy is kept. Null if there is none. */
  readonly appendTo: TargetState | null;
  readonly signal: AbortSignal;
}

/**
 * Makes the file that is to become the target, whole and fsynced; returns what it holds. Throws as `composeFile` does.
 */
export const makeCommitTemp = async (contents: ContentStore, commit: CommitTemp): Promise<TargetState> => {
  const { sessionId, directory, temp, mode, content, appendTo, signal } = commit;
  if (appendTo === null && (await linkTemp(commit, contents))) {
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
const ALONE = 1;

/**
 * Makes the stored content itself the temp, under a second name (a hard link): what was fsynced once is not written
 * again. Only where it has the owner, group and permissions that a copy would get, and no other target is the same
 * file. False, and no temp, where that cannot be. Throws CommitRefusal when what is stored is not `content`. The
 * permission bits are compared, never set: an attempt that wakes up late holds the very file that a later one may have
 * made a target.
 *
 * A program that changes the target in place afterwards changes the stored file too. Its name does not tell its content
 * then, which every use of it checks.
 */
const linkTemp = async (
  { sessionId, directory, temp, mode, content }: CommitTemp,
  contents: Pick<ContentStore, 'open' | 'link'>,
): Promise<boolean> => {
  const fresh = await statOfNewFile(directory, temp);
  const stored = await statOfStored(contents, sessionId, content);
  if (stored.nlink !== ALONE || stored.uid !== fresh.uid || stored.gid !== fresh.gid) return false;
  if ((stored.mode & PERMISSION_BITS) !== ((mode ?? fresh.mode) & PERMISSION_BITS)) return false;
  if (!(await contents.link(sessionId, content.sha256, directory.at(temp)))) return false;
  const handle = await open(directory.at(temp), READ);
  try {
    const linked = await handle.stat();
    // Checks the count first: if there are two names, one is this temp, and only the store can tell that the
    // other is its own.
    const isOurs =
      linked.nlink === ALONE + 1 &&
      isOneFile(linked, stored) &&
      isOneFile(linked, await statOfStored(contents, sessionId, content));
    if (!isOurs) {
      await removeEntry(directory, temp);
      return false;
    }
    if (!isSameContent(await targetStateOf(handle), content)) throw contentLost(content);
    await handle.sync();
    return true;
  } finally {
    await handle.close();
  }
};

const isOneFile = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev;

/**
 * Returns mode and owner of a new file, which depend on umask and on the directory's group and rules: only making one
 * shows them.
 */
const statOfNewFile = async (directory: Directory, name: string): Promise<Stats> => {
  const handle = await openTemp(directory, name);
  try {
    return await handle.stat();
  } finally {
    await handle.close();
    await removeEntry(directory, name);
  }
};

const statOfStored = async (
  contents: Pick<ContentStore, 'open'>,
  sessionId: string,
  content: ContentRef,
): Promise<Stats> => {
  const handle = await contents.open(sessionId, content.sha256);
  if (handle === undefined) throw contentLost(content);
  try {
    return await handle.stat();
  } finally {
    await handle.close();
  }
};
