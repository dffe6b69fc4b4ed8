import type { ContentRef, WriteOperation } from '../../contracts/write-session.ts';
import type { CommitOutcome } from '../../contracts/payload/session-activities.ts';
import type { ContentStore } from '../content-store/content-store.ts';
import { bytesOf, createTarget, replaceTarget, stateOfTarget, withTarget } from '../workspace/target-file.ts';
import type { TargetState } from '../workspace/target-file.ts';
import type { Place } from '../workspace/walk.ts';
import { onDisk } from '../workspace/workspace-error.ts';
import { removeAbandonedTemps, removeEntry, tempNameOf } from '../workspace/write-temp.ts';
import { CommitRefusal, CommitSupersededError } from './commit-failure.ts';
import type { CommitSession, CommitSessions } from './commit-sessions.ts';
import { makeCommitTemp } from './commit-temp.ts';
import { isSame } from './compose-file.ts';

export interface CommitAttempt {
  /** As it was when the attempt began: `fence` is its own. */
  readonly session: CommitSession;
  readonly content: ContentRef;
  readonly signal: AbortSignal;
}

/**
 * One attempt at the place of the target, once those before it have ended (docs/write-sessions.md). The
 * order is what makes it safe:
 * 1. the before-image is kept before anything else;
 * 2. the temp, named by session and fence, is whole and fsynced before the plan is stored;
 * 3. storing the plan asks "open and mine": a later attempt or a closer has either deleted the temp already, or
 *    will do so before it looks at the target;
 * 4. the target must still be the before-image; then temp becomes target in one step, which fails without a temp.
 * Throws CommitSupersededError, CommitRefusal, WorkspaceError, the signal's reason, or the database's error.
 */
export const attemptCommit = async (
  deps: { readonly contents: ContentStore; readonly sessions: CommitSessions },
  attempt: CommitAttempt,
  place: Place,
): Promise<CommitOutcome> => {
  const { session, content, signal } = attempt;
  const { targetFile: path, operation, sessionId, fence } = session;
  const committed: CommitOutcome = { kind: 'committed', content };
  const storePlan = async (before: TargetState | null, after: TargetState): Promise<void> => {
    if (!(await deps.sessions.storePlan(sessionId, fence, { before, after, content })))
      throw new CommitSupersededError(sessionId);
  };
  const { before, mode } = await onDisk(path, () => lookBefore(deps.contents, operation, place));
  refuseUnlessFitting(session, before, content);
  if (operation === 'create' && before !== null) {
    await storePlan(before, before);
    return committed;
  }
  const { directory } = place;
  const temp = tempNameOf(sessionId, fence);
  try {
    await removeAbandonedTemps(directory);
    const appendTo = operation === 'append' ? before : null;
    const after = await onDisk(path, () =>
      makeCommitTemp(deps.contents, { directory, temp, mode, content, appendTo, signal }),
    );
    await storePlan(before, after);
    signal.throwIfAborted();
    await onDisk(path, () => publish(place, temp, path, { before, after }));
  } finally {
    await removeEntry(directory, temp).catch(() => undefined);
  }
  // Outside of `onDisk`: the target is no longer untouched, so the next attempt has to find that it is done.
  await directory.sync();
  return committed;
};

interface Before {
  readonly before: TargetState | null;
  /** Permission bits to keep. */
  readonly mode: number | undefined;
}

/** Keeps a copy of what may be replaced: for an undo, and as what is appended to. */
const lookBefore = async (
  contents: ContentStore,
  operation: WriteOperation,
  place: Place,
): Promise<Before> => {
  if (operation === 'create') return { before: await stateOfTarget(place), mode: undefined };
  const found = await withTarget(place, async (handle, mode) => ({
    before: await contents.undo.keep(bytesOf(handle)),
    mode,
  }));
  return found ?? { before: null, mode: undefined };
};

/** An existing target that holds what a `create` would write is its success (docs/write-sessions.md). */
const refuseUnlessFitting = (
  { operation, targetFile }: CommitSession,
  before: TargetState | null,
  content: TargetState,
): void => {
  if (operation === 'create' && before !== null && !isSame(before, content))
    throw new CommitRefusal('write_failed', `file exists: ${targetFile}`);
  if (operation === 'append' && before === null)
    throw new CommitRefusal('write_failed', `missing file, nothing to append to: ${targetFile}`);
};

/** A target that has appeared or changed since its before-image was taken is left alone. */
const publish = async (
  place: Place,
  temp: string,
  path: string,
  { before, after }: { readonly before: TargetState | null; readonly after: TargetState },
): Promise<void> => {
  if (before === null) {
    if (await createTarget(place, temp)) return;
    if (isSame(await stateOfTarget(place), after)) return;
    throw new CommitRefusal('write_failed', `file exists: ${path}`);
  }
  if (!isSame(await stateOfTarget(place), before)) throw changedMeanwhile(path);
  await replaceTarget(place, temp);
};

export const changedMeanwhile = (path: string): CommitRefusal =>
  new CommitRefusal('write_failed', `file was changed by somebody else meanwhile: ${path}`);
