import type { CommitPlan } from '../../contracts/payload/session-activity-payloads.ts';
import type { ContentStore } from '../content-store/content-store.ts';
import { UNDO_MS } from '../content-store/prune.ts';
import { isSameContent, readTargetState } from '../workspace/target-file.ts';
import type { DirectoryEntry } from '../workspace/walk.ts';
import { withWorkspaceErrors } from '../workspace/workspace-error.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { commitFailureOf, targetMovedError } from './commit-failure.ts';
import { isCommitted, type CommitSession, type CommitSessions } from './commit-sessions.ts';
import { restoreTarget, syncUndone } from './restore-target.ts';

/** The result of taking a commit back: done, refused with a reason, or no such session. */
export type UndoOutcome =
  | { readonly kind: 'undone' }
  /** The target stays as it was. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'not_found' };

export interface UndoDeps {
  readonly workspace: Workspace;
  readonly contents: ContentStore;
  readonly sessions: CommitSessions;
}

/**
 * Gives the target back what it held before the session's commit, or removes it if the commit created it, as long as it
 * still holds what was committed. Once the undo is noted, a repeat changes nothing, whatever the file holds by then,
 * since the same text may have been written anew. Rejects when the database cannot be reached, or when the undo cannot
 * be made durable (`syncUndone`). The same call then finishes it later.
 */
export const undoCommit = async (deps: UndoDeps, sessionId: string, now: Date): Promise<UndoOutcome> => {
  const session = await deps.sessions.find(sessionId);
  if (session === undefined) return { kind: 'not_found' };
  const early = outcomeWithoutTarget(session, now);
  if (early) return early;
  try {
    const outcome = await deps.sessions.withFreeTarget(session.targetKey, (assertLockHeld) =>
      undoWhileLocked(deps, sessionId, assertLockHeld),
    );
    return outcome ?? refusedUndo(`something else is writing the file: ${session.targetFile}`);
  } catch (error) {
    const failure = commitFailureOf(error);
    if (failure === undefined) throw error;
    return refusedUndo(failure.reason);
  }
};

const refusedUndo = (reason: string): UndoOutcome => ({ kind: 'refused', reason });

/** Returns the outcome of an undo if it is certain without a look at the target, such as a refusal. */
const outcomeWithoutTarget = (session: CommitSession, now: Date): UndoOutcome | undefined => {
  const { plan, stage, endedAt, undoneAt } = session;
  if (!isCommitted(session) || plan === null) return refusedUndo(`nothing was committed (stage ${stage})`);
  if (undoneAt !== null) return { kind: 'undone' };
  if (endedAt !== null && now.getTime() - endedAt.getTime() > UNDO_MS) {
    return refusedUndo('the commit is more than 7 days old');
  }
  return undefined;
};

/**
 * Undoes the commit while nothing else may write the target. It reads the session again, because another undo may have
 * been first.
 */
const undoWhileLocked = async (
  { workspace, contents, sessions }: UndoDeps,
  sessionId: string,
  assertLockHeld: () => Promise<void>,
): Promise<UndoOutcome> => {
  const session = await sessions.find(sessionId);
  if (session === undefined || session.plan === null) return { kind: 'not_found' };
  if (session.undoneAt !== null) return { kind: 'undone' };
  const { projectId, targetFile: path, plan } = session;
  const outcome = await workspace.withEntry(
    projectId,
    path,
    { makesDirectories: false },
    async (entry, key) => {
      if (key !== session.targetKey) throw targetMovedError(path);
      const restored = await withWorkspaceErrors(path, () =>
        restore(contents, { path, plan, assertLockHeld }, entry),
      );
      if (restored.kind === 'undone') await syncUndone(entry);
      return restored;
    },
  );
  if (outcome.kind === 'undone') await sessions.markUndone(sessionId);
  return outcome;
};

const restore = async (
  contents: ContentStore,
  {
    path,
    plan,
    assertLockHeld,
  }: { readonly path: string; readonly plan: CommitPlan; readonly assertLockHeld: () => Promise<void> },
  entry: DirectoryEntry,
): Promise<UndoOutcome> => {
  const { before, after } = plan;
  const current = await readTargetState(entry);
  if (isSameContent(current, before)) return { kind: 'undone' };
  const isRestored =
    isSameContent(current, after) &&
    (await restoreTarget(contents, { before, current, assertLockHeld }, entry));
  return isRestored ? { kind: 'undone' } : refusedUndo(`file was changed since the commit: ${path}`);
};
