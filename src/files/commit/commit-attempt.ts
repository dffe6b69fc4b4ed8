import type { CommitPlan } from '../../contracts/payload/session-activity-payloads.ts';
import type { CommitApproval, CommitOutcome } from '../../contracts/write-session/session-messages.ts';
import type { ContentRef, WriteOperation } from '../../contracts/write-session/write-session.ts';
import { CHANGED_AFTER_APPROVAL } from '../../contracts/inputs/input-request.ts';
import type { ContentStore } from '../content-store/content-store.ts';
import {
  bytesOf,
  createTarget,
  removeAbandonedTemps,
  removeEntry,
  removeTempsOf,
  replaceTarget,
  stateOfTarget,
  tempNameOf,
  withTarget,
  type TargetState,
  isSameContent,
} from '../workspace/target-file.ts';
import type { DirectoryEntry } from '../workspace/walk.ts';
import { withWorkspaceErrors, WorkspaceError } from '../workspace/workspace-error.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { makeCommitTemp } from './commit-temp.ts';
import { CommitRefusal, CommitSupersededError, targetMoved } from './commit-failure.ts';
import type { CommitSession, CommitSessions } from './commit-sessions.ts';

/** The task of one attempt: content and session. */
export interface CommitAttempt {
  /** The session as it was when the attempt began: `fence` is its own. */
  readonly session: CommitSession;
  readonly content: ContentRef;
  /** The approval of a person: the target must hold what they were shown. */
  readonly approval: CommitApproval | undefined;
  readonly signal: AbortSignal;
}

/**
 * Makes one attempt to commit to the place of the target, once those before it have ended (docs/write-sessions.md). The
 * order makes it safe:
 *
 * - The before-image is kept before anything else.
 * - The temp, named by session and fence, is whole and fsynced before the plan is stored.
 * - Storing the plan checks that the session is open and belongs to this attempt. A later attempt or a closer has
 *   either deleted the temp already, or will do so before it looks at the target.
 * - The target must still be the before-image. Then the temp becomes the target in one step, which fails without a
 *   temp.
 *
 * The before-image must be what was shown to the person who approved the commit, so that the check of the target covers
 * the approval as well. Throws CommitSupersededError, CommitRefusal, WorkspaceError, the signal's reason, or the
 * database's error.
 */
export const attemptCommit = async (
  deps: { readonly contents: ContentStore; readonly sessions: CommitSessions },
  attempt: CommitAttempt,
  entry: DirectoryEntry,
): Promise<CommitOutcome> => {
  const { session, content, approval, signal } = attempt;
  const { targetFile: path, operation, sessionId, fence } = session;
  const committed: CommitOutcome = { kind: 'committed', content };
  const storePlan = async (before: TargetState | null, after: TargetState): Promise<void> => {
    if (!(await deps.sessions.storePlan(sessionId, fence, { before, after, content }))) {
      throw new CommitSupersededError(sessionId);
    }
  };
  const { before, mode } = await withWorkspaceErrors(path, () =>
    captureBefore(deps.contents, operation, entry),
  );
  refuseUnlessApproved(approval, before);
  refuseUnlessFitting(session, before, content);
  if (operation === 'create' && before !== null) {
    await storePlan(before, before);
    return committed;
  }
  const { directory } = entry;
  const temp = tempNameOf(sessionId, fence);
  try {
    await removeAbandonedTemps(directory);
    const appendTo = operation === 'append' ? before : null;
    const after = await withWorkspaceErrors(path, () =>
      makeCommitTemp(deps.contents, { sessionId, directory, temp, mode, content, appendTo, signal }),
    );
    await storePlan(before, after);
    signal.throwIfAborted();
    await withWorkspaceErrors(path, () => publish(entry, temp, session, { before, after, approval }));
  } finally {
    await removeEntry(directory, temp).catch(() => undefined);
  }
  // Outside of `withWorkspaceErrors`: the target is no longer untouched, so the next attempt has to find out that the
  // write is done.
  await directory.sync();
  return committed;
};

interface BeforeState {
  readonly before: TargetState | null;
  /** Permission bits that the target keeps. */
  readonly mode: number | undefined;
}

/** Keeps a copy of what may be replaced: for an undo, and as the beginning of an append. */
const captureBefore = async (
  contents: ContentStore,
  operation: WriteOperation,
  entry: DirectoryEntry,
): Promise<BeforeState> => {
  if (operation === 'create') return { before: await stateOfTarget(entry), mode: undefined };
  const found = await withTarget(entry, async (handle, mode) => ({
    before: await contents.undo.storeCopy(bytesOf(handle)),
    mode,
  }));
  return found ?? { before: null, mode: undefined };
};

/**
 * Refuses a commit that was approved over another state of the file: nobody has seen what it would replace.
 */
const refuseUnlessApproved = (approval: CommitApproval | undefined, before: TargetState | null): void => {
  if (approval?.before === undefined || approval.before === (before?.sha256 ?? null)) return;
  throw new CommitRefusal('write_failed', CHANGED_AFTER_APPROVAL);
};

/** A `create` succeeds when the existing target holds exactly what it would write (docs/write-sessions.md). */
const refuseUnlessFitting = (
  { operation, targetFile }: CommitSession,
  before: TargetState | null,
  content: TargetState,
): void => {
  if (operation === 'create' && before !== null && !isSameContent(before, content)) {
    throw new CommitRefusal('write_failed', `file exists: ${targetFile}`);
  }
  if (operation === 'append' && before === null) {
    throw new CommitRefusal('write_failed', `missing file, nothing to append to: ${targetFile}`);
  }
};

/** A target that has appeared or changed since its before-image was taken is not replaced. */
const publish = async (
  entry: DirectoryEntry,
  temp: string,
  { targetFile: path }: CommitSession,
  { before, after, approval }: Publication,
): Promise<void> => {
  if (before === null) {
    if (await createTarget(entry, temp)) return;
    if (isSameContent(await stateOfTarget(entry), after)) return;
    throw approval
      ? changedMeanwhile(path, approval)
      : new CommitRefusal('write_failed', `file exists: ${path}`);
  }
  if (!isSameContent(await stateOfTarget(entry), before)) throw changedMeanwhile(path, approval);
  await replaceTarget(entry, temp);
};

interface Publication {
  readonly before: TargetState | null;
  readonly after: TargetState;
  readonly approval: CommitApproval | undefined;
}

/** Refuses a commit because somebody else wrote the target between the look at it and the rename. */
export const changedMeanwhile = (path: string, approval: CommitApproval | undefined): CommitRefusal =>
  new CommitRefusal(
    'write_failed',
    approval ? CHANGED_AFTER_APPROVAL : `file was changed by somebody else meanwhile: ${path}`,
  );

/**
 * The outcome of earlier attempts. `done` means that the target holds what was planned. `none` means that it holds what
 * it held before, or that nothing was planned.
 */
export type EarlierAttempts = 'none' | 'done' | 'changed';

/**
 * Ends all attempts up to `lastFence` and returns their outcome. It removes their temps before it looks at the target:
 * an attempt that renames in between is seen, and one that wakes up later finds no temp. Throws CommitRefusal or
 * WorkspaceError.
 */
export const endEarlierAttempts = async (
  workspace: Workspace,
  { sessionId, projectId, targetFile, targetKey, plan }: CommitSession,
  lastFence: number,
): Promise<EarlierAttempts> => {
  try {
    return await workspace.withEntry(projectId, targetFile, { makesDirectories: false }, (entry, key) =>
      withWorkspaceErrors(targetFile, async () => {
        if (key !== targetKey) throw targetMoved(targetFile);
        await removeTempsOf(entry.directory, sessionId, lastFence);
        const earlier = plan === null ? 'none' : compareToPlan(await stateOfTarget(entry), plan);
        // An attempt that renamed may have died before it made that durable.
        if (earlier === 'done') await entry.directory.sync();
        return earlier;
      }),
    );
  } catch (error) {
    // Without its directory there is neither a temp nor a target.
    if (error instanceof WorkspaceError && error.code === 'not_found') {
      return plan === null ? 'none' : compareToPlan(null, plan);
    }
    throw error;
  }
};

const compareToPlan = (state: TargetState | null, { before, after }: CommitPlan): EarlierAttempts => {
  if (isSameContent(state, after)) return 'done';
  return isSameContent(state, before) ? 'none' : 'changed';
};
