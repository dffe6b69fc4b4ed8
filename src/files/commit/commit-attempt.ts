import type { CommitOutcome, CommitPlan } from '../../contracts/payload/session-activities.ts';
import type { ContentRef, WriteOperation } from '../../contracts/write-session.ts';
import type { ContentStore } from '../content-store/content-store.ts';
import {
  bytesOf,
  createTarget,
  replaceTarget,
  stateOfTarget,
  withTarget,
  type TargetState,
} from '../workspace/target-file.ts';
import type { Place } from '../workspace/walk.ts';
import { onDisk, WorkspaceError } from '../workspace/workspace-error.ts';
import { removeAbandonedTemps, removeEntry, tempNameOf, removeTempsOf } from '../workspace/write-temp.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { CommitRefusal, CommitSupersededError, ledElsewhere } from './commit-failure.ts';
import type { CommitSession, CommitSessions } from './commit-sessions.ts';
import { makeCommitTemp } from './commit-temp.ts';
import { isSame } from './session-content.ts';

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
      makeCommitTemp(deps.contents, { sessionId, directory, temp, mode, content, appendTo, signal }),
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

/** `done`: the target holds what was planned. `none`: it holds what it held before, or nothing was planned. */
export type EarlierAttempts = 'none' | 'done' | 'changed';

/**
 * Ends all attempts up to `lastFence` and says what came of them. First their temps, then the look: an attempt
 * that renames in between is seen, one that wakes up later finds no temp. Throws CommitRefusal or WorkspaceError.
 */
export const endEarlierAttempts = async (
  workspace: Workspace,
  { sessionId, projectId, targetFile, targetKey, plan }: CommitSession,
  lastFence: number,
): Promise<EarlierAttempts> => {
  try {
    return await workspace.withPlace(projectId, targetFile, { makeDirectories: false }, (place, key) =>
      onDisk(targetFile, async () => {
        if (key !== targetKey) throw ledElsewhere(targetFile);
        await removeTempsOf(place.directory, sessionId, lastFence);
        const earlier = plan === null ? 'none' : compare(await stateOfTarget(place), plan);
        // Whoever renamed may have died before it made that durable.
        if (earlier === 'done') await place.directory.sync();
        return earlier;
      }),
    );
  } catch (error) {
    // Without its directory there is neither a temp nor a target.
    if (error instanceof WorkspaceError && error.code === 'not_found')
      return plan === null ? 'none' : compare(null, plan);
    throw error;
  }
};

const compare = (state: TargetState | null, { before, after }: CommitPlan): EarlierAttempts => {
  if (isSame(state, after)) return 'done';
  return isSame(state, before) ? 'none' : 'changed';
};
