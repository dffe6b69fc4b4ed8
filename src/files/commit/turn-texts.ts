import type { ContentStore } from '../content-store/content-store.ts';
import { currentText, decodeText } from '../workspace/current-text.ts';
import { isSameContent, type TargetState } from '../workspace/target-file.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { chainOf } from './change-chain.ts';
import type { TurnChanges, TurnToUndo } from './undo-turn.ts';
import { KIB } from '../../contracts/values/units.ts';

/**
 * The content of a file before a turn and after it, null where there was no file, or the reason why neither is shown.
 */
export type FileTexts =
  { readonly before: string | null; readonly after: string | null } | { readonly reason: string };

/** The stores in which the changes of turns, the copies for undos and the files themselves are read. */
export interface TurnTextsDeps {
  readonly workspace: Pick<Workspace, 'readTargetBefore' | 'resolveTargetKey'>;
  readonly contents: Pick<ContentStore, 'undo'>;
  readonly changes: Pick<TurnChanges, 'list'>;
}

/**
 * Largest text before a turn, in bytes, that is shown, since nobody compares longer ones. `MAX_PREVIEWED_BYTES` bounds
 * the text after the turn.
 */
const MAX_BYTES = 256 * KIB;

/**
 * Returns the content of one file before and after a turn if the file still is as the turn left it, otherwise the
 * reason why neither is shown. Returns undefined when the turn has not changed the file. Rejects with WorkspaceError,
 * or when the database cannot be reached.
 */
export const readTurnTexts = async (
  { workspace, contents, changes }: TurnTextsDeps,
  { turnId, projectId }: TurnToUndo,
  path: string,
): Promise<FileTexts | undefined> => {
  const all = await changes.list(turnId);
  // `resolveTargetKey` makes the project's folder, which a question about a turn without changes must not do.
  if (all.length === 0) return undefined;
  const key = await workspace.resolveTargetKey(projectId, path);
  const own = all.filter(({ targetKey }) => targetKey === key);
  if (own.length === 0) return undefined;
  const remaining = own.filter(({ isUndone }) => !isUndone);
  if (remaining.length === 0) return { reason: 'What the turn changed was taken back.' };
  const chain = chainOf(remaining);
  if (!chain) return { reason: 'Something else changed the file between two changes of the turn.' };
  const current = await workspace.readTargetBefore(projectId, path);
  if (!chain.after.some((state) => isSameContent(current, state))) {
    return { reason: 'The file was changed since the turn.' };
  }
  const after = currentText(current);
  if ('reason' in after) return after;
  const before = await readCopy(contents, chain.before);
  if (before === undefined) return { reason: 'What the file held before is not kept, or too long.' };
  const textBefore = before === null ? { text: null } : decodeText(before);
  return 'reason' in textBefore ? textBefore : { before: textBefore.text, after: after.text };
};

/**
 * Returns the undo copy of a state, null if there was no file, or undefined if the copy is too long or no longer kept.
 */
const readCopy = async (
  contents: Pick<ContentStore, 'undo'>,
  state: TargetState | null,
): Promise<Buffer | null | undefined> => {
  if (state === null) return null;
  if (state.bytes > MAX_BYTES) return undefined;
  const handle = await contents.undo.open(state.sha256);
  try {
    return await handle?.readFile();
  } finally {
    await handle?.close();
  }
};
