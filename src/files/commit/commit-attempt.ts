import type { CommitPlan } from '../../contracts/payload/session-activity-payloads.ts';
import type { CommitApproval, CommitOutcome } from '../../contracts/write-session/session-messages.ts';
import type { ContentRef, WriteOperation } from '../../contracts/write-session/write-session.ts';
import { CHANGED_AFTER_APPROVAL } from '../../contracts/inputs/input-request.ts';
import type { ContentStore } from '../content-store/content-store.ts';
import { removeEntry } from '../workspace/directory.ts';
import {
  readBytes,
  createTarget,
  replaceTarget,
  readTargetState,
  withTarget,
  type TargetState,
  isSameContent,
} from '../workspace/target-file.ts';
import type { DirectoryEntry } from '../workspace/walk.ts';
import { withWorkspaceErrors, WorkspaceError } from '../workspace/workspace-error.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { removeAbandonedTemps, removeWriteTemps, tempNameOf } from '../workspace/write-temps.ts';
import { createCommitTemp } from './commit-temp.ts';
import { CommitRefusedError, CommitSupersededError, targetMovedError } from './commit-failure.ts';
import type { CommitSession, CommitSessions } from './commit-sessions.ts';
import { fileExistsText, targetMisfit } from './target-misfit.ts';

/** What one attempt is to commit, and for which session. */
export interface CommitAttempt {
  /** The session as it was when the attempt began; its `attempt` is the number of this one. */
  readonly session: CommitSession;
  readonly content: ContentRef;
  /**
   * The approval of a person who was shown the target. The target must still hold what that person saw. Undefined if
   * none is needed.
   */
  readonly approval: CommitApproval | undefined;
  readonly signal: AbortSignal;
}

/**
 * Makes one attempt to commit content to the target at `entry`, after `endEarlierAttempts`. The order of the steps
 * makes it safe:
 *
 * - What the target holds is kept first, as the before image. A `create` replaces nothing and keeps none.
 * - The temp, named by session and number of the attempt, is whole and fsynced before the plan is stored.
 * - Storing the plan checks that the session is open and that this attempt is its newest. A later attempt, or the
 *   process that closes the session, has deleted the temp already or will do so before it looks at the target.
 * - The target must still hold what it held first. Then the temp becomes the target in one step, which fails if the
 *   temp is gone.
 *
 * The person who approved the commit must have seen exactly what the target held first, so the check of the target
 * covers the approval. Rejects with CommitSupersededError, CommitRefusedError, WorkspaceError, the signal's reason, an
 * error of the file system from the last fsync, or the database's error.
 */
export const attemptCommit = async (
  deps: { readonly contents: ContentStore; readonly sessions: CommitSessions },
  attempt: CommitAttempt,
  entry: DirectoryEntry,
): Promise<CommitOutcome> => {
  const { session, content, approval, signal } = attempt;
  const { targetFile: path, operation, sessionId, attempt: number } = session;
  const outcome: CommitOutcome = { kind: 'committed', content };
  const storePlan = async (before: TargetState | null, after: TargetState): Promise<void> => {
    if (!(await deps.sessions.storePlan(sessionId, number, { before, after, content }))) {
      throw new CommitSupersededError(sessionId);
    }
  };
  const { before, mode } = await withWorkspaceErrors(path, () =>
    captureBefore(deps.contents, operation, entry),
  );
  refuseUnlessApproved(approval, before);
  const misfit = targetMisfit(session, before, content);
  if (misfit !== undefined) throw new CommitRefusedError('write_failed', misfit);
  if (operation === 'create' && before !== null) {
    // The target holds exactly this content, so nothing is written.
    await storePlan(before, before);
    return outcome;
  }
  const { directory } = entry;
  const temp = tempNameOf(sessionId, number);
  try {
    await removeAbandonedTemps(directory);
    const appendTo = operation === 'append' ? before : null;
    const after = await withWorkspaceErrors(path, () =>
      createCommitTemp(deps.contents, { sessionId, directory, temp, mode, content, appendTo, signal }),
    );
    await storePlan(before, after);
    signal.throwIfAborted();
    await withWorkspaceErrors(path, () => publish(entry, temp, session, { before, after, approval }));
  } finally {
    // `createTarget` leaves the temp. One that cannot be removed now is left to `removeAbandonedTemps`.
    await removeEntry(directory, temp).catch(() => undefined);
  }
  // Not within `withWorkspaceErrors`: a WorkspaceError would be reported as a failure that left the target untouched.
  // After any other error the commit is attempted again, and finds that the write is done.
  await directory.sync();
  return outcome;
};

interface BeforeState {
  readonly before: TargetState | null;
  /** Permission bits that the target keeps. Undefined means those of any new file. */
  readonly mode: number | undefined;
}

/**
 * Keeps a copy of what may be replaced, for an undo and as the beginning of an append. The target of a `create` is only
 * looked at, since it is not replaced.
 */
const captureBefore = async (
  contents: ContentStore,
  operation: WriteOperation,
  entry: DirectoryEntry,
): Promise<BeforeState> => {
  if (operation === 'create') return { before: await readTargetState(entry), mode: undefined };
  const target = await withTarget(entry, async (handle, mode) => ({
    before: await contents.undo.storeCopy(readBytes(handle)),
    mode,
  }));
  return target ?? { before: null, mode: undefined };
};

/**
 * Refuses a commit that was approved when the file held something else, because nobody has seen what it would replace.
 */
const refuseUnlessApproved = (approval: CommitApproval | undefined, before: TargetState | null): void => {
  if (approval?.before === undefined || approval.before === (before?.sha256 ?? null)) return;
  throw new CommitRefusedError('write_failed', CHANGED_AFTER_APPROVAL);
};

/**
 * Makes the temp the target, unless the target has appeared or changed since it was looked at first. A new target that
 * already holds the planned content is no failure.
 */
const publish = async (
  entry: DirectoryEntry,
  temp: string,
  { targetFile: path }: CommitSession,
  { before, after, approval }: Publication,
): Promise<void> => {
  if (before === null) {
    if (await createTarget(entry, temp)) return;
    if (isSameContent(await readTargetState(entry), after)) return;
    throw approval
      ? targetChangedError(path, approval)
      : new CommitRefusedError('write_failed', fileExistsText(path));
  }
  if (!isSameContent(await readTargetState(entry), before)) throw targetChangedError(path, approval);
  await replaceTarget(entry, temp);
};

interface Publication {
  readonly before: TargetState | null;
  readonly after: TargetState;
  readonly approval: CommitApproval | undefined;
}

/** Returns the refusal of a commit whose target somebody else has written after an attempt looked at it. */
export const targetChangedError = (path: string, approval: CommitApproval | undefined): CommitRefusedError =>
  new CommitRefusedError(
    'write_failed',
    approval ? CHANGED_AFTER_APPROVAL : `file was changed by somebody else meanwhile: ${path}`,
  );

/**
 * The outcome of earlier attempts. `done` means that the target holds what was planned. `none` means that it holds what
 * it held before, or that nothing was planned. `changed` means that it holds something else.
 */
export type EarlierAttemptsOutcome = 'none' | 'done' | 'changed';

/**
 * Ends all attempts up to and including `lastAttempt`, and returns their outcome. It removes their temps before it
 * looks at the target: a rename that an attempt has made by then is seen, and an attempt that wakes up later finds no
 * temp to rename. Rejects with CommitRefusedError, WorkspaceError, or an error of the file system from the fsync.
 */
export const endEarlierAttempts = async (
  workspace: Workspace,
  { sessionId, projectId, targetFile, targetKey, plan }: CommitSession,
  lastAttempt: number,
): Promise<EarlierAttemptsOutcome> => {
  try {
    return await workspace.withEntry(
      projectId,
      targetFile,
      { makesDirectories: false },
      async (entry, key) => {
        if (key !== targetKey) throw targetMovedError(targetFile);
        const earlier = await withWorkspaceErrors(targetFile, async () => {
          await removeWriteTemps(entry.directory, sessionId, lastAttempt);
          return plan === null ? 'none' : compareToPlan(await readTargetState(entry), plan);
        });
        // An attempt that renamed may have died before it made the rename durable. Not within `withWorkspaceErrors`: a
        // WorkspaceError would be reported as a failure that left the target untouched.
        if (earlier === 'done') await entry.directory.sync();
        return earlier;
      },
    );
  } catch (error) {
    // If the directory is gone, there is neither a temp nor a target.
    if (error instanceof WorkspaceError && error.code === 'not_found') {
      return plan === null ? 'none' : compareToPlan(null, plan);
    }
    throw error;
  }
};

const compareToPlan = (state: TargetState | null, { before, after }: CommitPlan): EarlierAttemptsOutcome => {
  if (isSameContent(state, after)) return 'done';
  return isSameContent(state, before) ? 'none' : 'changed';
};
