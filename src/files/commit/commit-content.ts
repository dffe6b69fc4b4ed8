import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { ContentRef } from '../../contracts/write-session.ts';
import type { ContentStore } from '../content-store/content-store.ts';
import type { Directory } from '../workspace/directory.ts';
import {
  bytesOf,
  openTemp,
  removeEntry,
  targetStateOf,
  writeTemp,
  type TargetState,
  isSameContent,
} from '../workspace/target-file.ts';
import { writeBehind } from '../workspace/whole-file.ts';
import { CommitRefusal } from './commit-failure.ts';

/** What a commit writes: the content that was named, or the session's draft. Throws CommitRefusal. */
export const contentToCommit = async (
  contents: ContentStore,
  sessionId: string,
  named: ContentRef | undefined,
  signal: AbortSignal,
): Promise<ContentRef> => {
  if (named !== undefined) {
    if (!(await contents.has(sessionId, named.sha256))) throw contentLost(named);
    return named;
  }
  const sealed = await contents.drafts.seal(sessionId, signal);
  switch (sealed.kind) {
    case 'stored':
      return sealed.content;
    case 'none':
      throw new CommitRefusal('validation_failed', 'content: expected some, or a draft, received neither');
    case 'blank':
      throw new CommitRefusal('validation_failed', 'content: expected text, received blanks only');
    case 'invalid_text':
      throw new CommitRefusal('validation_failed', sealed.reason);
    case 'too_large':
      throw new CommitRefusal('validation_failed', 'content: expected less, received more than the limit');
    default:
      return sealed satisfies never;
  }
};

/** The stored content of a session as a part of the file that is written. */
export const contentPart = (contents: ContentStore, sessionId: string, content: ContentRef): ContentPart => ({
  state: content,
  open: () => contents.open(sessionId, content.sha256),
  lost: () => contentLost(content),
});

/** What the target held before a commit, as a part of the file that an undo makes; taken from the undo store. */
export const undoPart = (contents: Pick<ContentStore, 'undo'>, before: TargetState): ContentPart => ({
  state: before,
  open: () => contents.undo.open(before.sha256),
  lost: () => new CommitRefusal('write_failed', 'what the file held before is not kept any more'),
});

/** Refuses a commit because the content was removed after it had been stored. */
export const contentLost = ({ sha256 }: ContentRef): CommitRefusal =>
  new CommitRefusal('validation_failed', `content ${sha256}: not stored any more, send it again`);

/** A stored file that becomes a part of another one. */
export interface ContentPart {
  /** What it must hold. */
  readonly state: TargetState;
  open(): Promise<FileHandle | undefined>;
  /** The error when it is not stored or holds something else. */
  lost(): Error;
}

/**
 * Fills `to` with the parts, one after the other, a chunk at a time; answers hash and size of the whole. Throws a
 * part's `lost`, or the signal's reason.
 */
export const composeFile = async (
  to: FileHandle,
  parts: readonly ContentPart[],
  signal?: AbortSignal,
): Promise<TargetState> => {
  const [only] = parts.length === 1 ? parts : [];
  // A part that is the whole file is hashed once: 10 ms for 10 MB.
  const whole = new RunningState();
  for (const part of parts) {
    const seen = new RunningState();
    await writeBehind(to, chunksOf(part), (chunk) => {
      signal?.throwIfAborted();
      seen.add(chunk);
      if (!only) whole.add(chunk);
      return true;
    });
    if (!isSameContent(seen.end(), part.state)) throw part.lost();
  }
  return only ? only.state : whole.end();
};

const chunksOf = async function* (part: ContentPart): AsyncGenerator<Uint8Array, void> {
  const handle = await part.open();
  if (handle === undefined) throw part.lost();
  try {
    yield* bytesOf(handle);
  } finally {
    await handle.close();
  }
};

class RunningState {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  add(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.byteLength;
  }

  end(): TargetState {
    return { sha256: this.#hash.digest('hex'), bytes: this.#bytes };
  }
}

/** The file that is to become the target, before it is made. */
export interface CommitTemp {
  readonly sessionId: string;
  readonly directory: Directory;
  readonly temp: string;
  /** Permission bits, absent: those of any new file. */
  readonly mode: number | undefined;
  readonly content: ContentRef;
  /** What goes before the content, of which an undo copy is kept; null: nothing. */
  readonly appendTo: TargetState | null;
  readonly signal: AbortSignal;
}

/** Makes the file that is to become the target, whole and fsynced; answers what it holds. Throws as `composeFile`. */
export const makeCommitTemp = async (
  contents: ContentStore,
  { sessionId, directory, temp, mode, content, appendTo, signal }: CommitTemp,
): Promise<TargetState> => {
  if (appendTo === null && (await linkTemp({ sessionId, directory, temp, mode }, contents, content)))
    return { sha256: content.sha256, bytes: content.bytes };
  const parts = [
    ...(appendTo === null ? [] : [undoPart(contents, appendTo)]),
    contentPart(contents, sessionId, content),
  ];
  return writeTemp(directory, temp, mode, (handle) => composeFile(handle, parts, signal));
};

const PERMISSION_BITS = 0o7777;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW;
/** Names of a stored file that is no file of a workspace as well. */
const ALONE = 1;

/**
 * Makes the stored content itself the temp, under a second name (a hard link): what was fsynced once is not written
 * again. Only where it has the owner, group and permissions that a copy would get, and no other target is the same
 * file. False, and no temp, where that cannot be. Throws CommitRefusal when what is stored is not `content`. `mode`:
 * permission bits, absent: those of any new file. They are compared, never set: an attempt that wakes up late holds
 * the very file that a later one may have made a target.
 *
 * Who changes the target in place afterwards changes the stored file too. Its name does not tell its content then,
 * which every use of it checks.
 */
export const linkTemp = async (
  { sessionId, directory, temp, mode }: Pick<CommitTemp, 'sessionId' | 'directory' | 'temp' | 'mode'>,
  contents: Pick<ContentStore, 'open' | 'link'>,
  content: ContentRef,
): Promise<boolean> => {
  const fresh = await statOfNewFile(directory, temp);
  const stored = await statOfStored(contents, sessionId, content);
  if (stored.nlink !== ALONE || stored.uid !== fresh.uid || stored.gid !== fresh.gid) return false;
  if ((stored.mode & PERMISSION_BITS) !== ((mode ?? fresh.mode) & PERMISSION_BITS)) return false;
  if (!(await contents.link(sessionId, content.sha256, directory.at(temp)))) return false;
  const handle = await open(directory.at(temp), READ);
  try {
    const linked = await handle.stat();
    // The count first: of two names one is this temp's; that the store's is the other one, only the store can tell.
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

/** What depends on umask, the directory's group and its rules, which only making one tells. */
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
