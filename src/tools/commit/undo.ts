import { randomUUID } from 'node:crypto';
import type { WritePlan } from '../../contracts/write-session.ts';
import type { ContentStore } from '../content-store/content-store.ts';
import { UNDO_MS } from '../content-store/prune.ts';
import { removeTarget, replaceTarget, stateOfTarget, withTarget } from '../workspace/target-file.ts';
import type { Place } from '../workspace/walk.ts';
import { onDisk } from '../workspace/workspace-error.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { removeEntry, tempNameOf, writeTemp } from '../workspace/write-temp.ts';
import { failureOf, ledElsewhere } from './commit-failure.ts';
import type { CommitSession, CommitSessions } from './commit-sessions.ts';
import { composeFile, isSame } from './compose-file.ts';
import { undoPart } from './session-content.ts';

export type UndoOutcome =
  | { readonly kind: 'undone' }
  /** The target is as it was. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'not_found' };

export interface UndoDeps {
  readonly workspace: Workspace;
  readonly contents: ContentStore;
  readonly sessions: CommitSessions;
}

const refused = (reason: string): UndoOutcome => ({ kind: 'refused', reason });

/**
 * Gives the target back what it held before the session's commit, or removes it if the commit created it, as long
 * as it still holds what was committed. Undone once, it stays undone: a repeat changes nothing, whatever stands there
 * by then, since the same text may have been written anew.
 */
export const undoCommit = async (deps: UndoDeps, sessionId: string, now: Date): Promise<UndoOutcome> => {
  const session = await deps.sessions.find(sessionId);
  if (session === undefined) return { kind: 'not_found' };
  const { projectId, targetFile: path, plan, stage, endedAt, undoneAt } = session;
  if (!isCommitted(session) || plan === null) return refused(`nothing was committed (stage ${stage})`);
  if (undoneAt !== null) return { kind: 'undone' };
  if (endedAt !== null && now.getTime() - endedAt.getTime() > UNDO_MS)
    return refused('the commit is more than 7 days old');
  try {
    const outcome = await deps.workspace.withPlace(
      projectId,
      path,
      { makeDirectories: false },
      (place, key) => {
        if (key !== session.targetKey) throw ledElsewhere(path);
        return onDisk(path, () => restore(deps.contents, { sessionId, path, plan }, place));
      },
    );
    if (outcome.kind === 'undone') await deps.sessions.markUndone(sessionId);
    return outcome;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    return refused(failure.reason);
  }
};

const isCommitted = ({ state, stage }: CommitSession): boolean => state === 'ended' && stage === 'committed';

const restore = async (
  contents: ContentStore,
  { sessionId, path, plan }: { readonly sessionId: string; readonly path: string; readonly plan: WritePlan },
  place: Place,
): Promise<UndoOutcome> => {
  const { before, after } = plan;
  const standing = await stateOfTarget(place);
  if (isSame(standing, before)) return { kind: 'undone' };
  if (!isSame(standing, after)) return refused(`file was changed since the commit: ${path}`);
  if (before === null) {
    await removeTarget(place);
    await place.directory.sync();
    return { kind: 'undone' };
  }
  const temp = tempNameOf(sessionId, `undo-${randomUUID()}`);
  try {
    const mode = await withTarget(place, (_handle, bits) => Promise.resolve(bits));
    await writeTemp(place.directory, temp, mode, (to) => composeFile(to, [undoPart(contents, before)]));
    const now = await stateOfTarget(place);
    // Another undo was faster.
    if (isSame(now, before)) return { kind: 'undone' };
    if (!isSame(now, after)) return refused(`file was changed since the commit: ${path}`);
    await replaceTarget(place, temp);
  } finally {
    await removeEntry(place.directory, temp).catch(() => undefined);
  }
  await place.directory.sync();
  return { kind: 'undone' };
};
