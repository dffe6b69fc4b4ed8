import type { ContentStore } from '../content-store/content-store.ts';
import { UNDO_MS } from '../content-store/prune.ts';
import { commitFailureOf, targetMovedError } from './commit-failure.ts';
import { restoreTarget, syncUndone } from './restore-target.ts';
import { isSameContent, readTargetState } from '../workspace/target-file.ts';
import type { DirectoryEntry } from '../workspace/walk.ts';
import { withWorkspaceErrors, WorkspaceError } from '../workspace/workspace-error.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { chainOf, type ChangeChain, type ChainedChange } from './change-chain.ts';

/** A change that a turn made to a file, by a tool or a write session. */
export interface TurnChange extends ChainedChange {
  /** Path as the turn named the file. */
  readonly path: string;
  /** One key for all names of the file; see `Workspace.resolveTargetKey`. */
  readonly targetKey: string;
  readonly at: Date;
  /** True when an undo has taken the change back. */
  readonly isUndone: boolean;
}

/** The changes that turns made to files. In production they are in the tables `file_changes` and `write_sessions`. */
export interface TurnChanges {
  /** Returns the turn's changes, in the order in which they were made. */
  list(turnId: string): Promise<readonly TurnChange[]>;
  /** Notes that the turn's changes of a file are taken back. */
  markUndone(turnId: string, targetKey: string): Promise<void>;
  /** Runs `work` while nothing else writes the file; see `CommitSessions.withFreeTarget`. */
  withFreeTarget<T>(
    targetKey: string,
    work: (assertLockHeld: () => Promise<void>) => Promise<T>,
  ): Promise<T | undefined>;
}

/** The result of an undo for one of the files that a turn changed. */
export type FileUndoReport = { readonly path: string } & FileUndoOutcome;

type FileUndoOutcome =
  | { readonly outcome: 'restored' | 'removed' | 'unchanged' }
  /** The file is as it was before the undo. */
  | { readonly outcome: 'refused'; readonly reason: string };

export interface UndoTurnDeps {
  readonly workspace: Workspace;
  readonly contents: Pick<ContentStore, 'undo'>;
  readonly changes: TurnChanges;
}

/** A turn that has ended and whose changes of files are to be taken back. */
export interface TurnToUndo {
  readonly turnId: string;
  readonly projectId: string;
}

/**
 * Gives each file that the turn changed its earlier content back, as long as the file still is as the turn left it.
 * Other files are reported and left as they are. It works file by file, so when it dies in the middle, the same call
 * finishes it. Once the undo of a file is noted, the file is not touched again, whatever it holds by then. Rejects when
 * the database cannot be reached, or when the undo of a file cannot be made durable (`syncUndone`).
 */
export const undoTurn = async (
  deps: UndoTurnDeps,
  turn: TurnToUndo,
  now: Date,
): Promise<readonly FileUndoReport[]> => {
  const paths = new Map<string, string>();
  for (const { targetKey, path } of await deps.changes.list(turn.turnId)) {
    if (!paths.has(targetKey)) paths.set(targetKey, path);
  }
  const outcomes: FileUndoReport[] = [];
  for (const [targetKey, path] of paths) {
    outcomes.push({ path, ...(await undoFile(deps, { turn, targetKey, path, now })) });
  }
  return outcomes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
};

interface FileToUndo {
  readonly turn: TurnToUndo;
  readonly targetKey: string;
  readonly path: string;
  readonly now: Date;
}

const undoFile = async (deps: UndoTurnDeps, file: FileToUndo): Promise<FileUndoOutcome> => {
  try {
    const outcome = await deps.changes.withFreeTarget(file.targetKey, (assertLockHeld) =>
      undoFileWhileLocked(deps, file, assertLockHeld),
    );
    return outcome ?? refusedFile('something else is writing the file');
  } catch (error) {
    const failure = commitFailureOf(error);
    if (failure === undefined) throw error;
    return refusedFile(failure.reason);
  }
};

/**
 * Undoes the turn's changes of one file, which nothing else may write meanwhile. It reads the changes again, because
 * another undo may have been first.
 */
const undoFileWhileLocked = async (
  deps: UndoTurnDeps,
  file: FileToUndo,
  assertLockHeld: () => Promise<void>,
): Promise<FileUndoOutcome> => {
  const { turn, targetKey, now } = file;
  const all = await deps.changes.list(turn.turnId);
  const changes = all.filter((change) => change.targetKey === targetKey && !change.isUndone);
  const [first] = changes;
  if (first === undefined) return { outcome: 'unchanged' };
  if (now.getTime() - first.at.getTime() > UNDO_MS) return refusedFile('the change is more than 7 days old');
  const chain = chainOf(changes);
  if (chain === undefined) {
    return refusedFile('something else changed the file between two changes of the turn');
  }
  const outcome = await restore(deps, file, chain, assertLockHeld);
  if (outcome.outcome !== 'refused') await deps.changes.markUndone(turn.turnId, targetKey);
  return outcome;
};

const restore = async (
  { workspace, contents }: UndoTurnDeps,
  { turn, targetKey, path }: FileToUndo,
  chain: ChangeChain,
  assertLockHeld: () => Promise<void>,
): Promise<FileUndoOutcome> => {
  try {
    return await workspace.withEntry(
      turn.projectId,
      path,
      { makesDirectories: false },
      async (entry, key) => {
        if (key !== targetKey) throw targetMovedError(path);
        const restored = await withWorkspaceErrors(path, () =>
          restoreEntry(contents, { chain, assertLockHeld }, entry),
        );
        if (restored.outcome !== 'refused') await syncUndone(entry);
        return restored;
      },
    );
  } catch (error) {
    // If the directory is gone, so is the file.
    if (error instanceof WorkspaceError && error.code === 'not_found') {
      return chain.before === null ? { outcome: 'unchanged' } : refusedFile(CHANGED_SINCE);
    }
    throw error;
  }
};

const refusedFile = (reason: string): FileUndoOutcome => ({ outcome: 'refused', reason });

const CHANGED_SINCE = 'the file was changed since the turn';

const restoreEntry = async (
  contents: UndoTurnDeps['contents'],
  {
    chain: { before, after },
    assertLockHeld,
  }: { readonly chain: ChangeChain; readonly assertLockHeld: () => Promise<void> },
  entry: DirectoryEntry,
): Promise<FileUndoOutcome> => {
  const current = await readTargetState(entry);
  if (isSameContent(current, before)) return { outcome: 'unchanged' };
  if (!after.some((state) => isSameContent(current, state))) return refusedFile(CHANGED_SINCE);
  const isDone = await restoreTarget(contents, { before, current, assertLockHeld }, entry);
  if (!isDone) return refusedFile(CHANGED_SINCE);
  return { outcome: before === null ? 'removed' : 'restored' };
};
