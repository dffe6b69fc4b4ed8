import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { ContentRef } from '../../contracts/write-session.ts';
import type { ContentStore } from '../content-store/content-store.ts';
import { type TargetState, bytesOf } from '../workspace/target-file.ts';
import { writeBehind } from '../workspace/write-behind.ts';
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

export const contentPart = (contents: ContentStore, sessionId: string, content: ContentRef): Part => ({
  state: content,
  open: () => contents.open(sessionId, content.sha256),
  lost: () => contentLost(content),
});

/** What stood in the target before a commit. */
export const undoPart = (contents: ContentStore, before: TargetState): Part => ({
  state: before,
  open: () => contents.undo.open(before.sha256),
  lost: () => new CommitRefusal('write_failed', 'what the file held before the commit is not kept any more'),
});

export const contentLost = ({ sha256 }: ContentRef): CommitRefusal =>
  new CommitRefusal('validation_failed', `content ${sha256}: not stored any more, send it again`);

/** A stored file that becomes a part of another one. */
export interface Part {
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
  parts: readonly Part[],
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
    if (!isSame(seen.end(), part.state)) throw part.lost();
  }
  return only ? only.state : whole.end();
};

/** Two states of a file, null for none, hold the same bytes. */
export const isSame = (a: TargetState | null, b: TargetState | null): boolean =>
  a?.sha256 === b?.sha256 && a?.bytes === b?.bytes;

async function* chunksOf(part: Part): AsyncGenerator<Uint8Array, void> {
  const handle = await part.open();
  if (handle === undefined) throw part.lost();
  try {
    yield* bytesOf(handle);
  } finally {
    await handle.close();
  }
}

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
