import type { ContentRef } from '../../contracts/write-session.ts';
import type { ContentStore } from '../content-store/content-store.ts';
import type { Directory } from '../workspace/directory.ts';
import type { TargetState } from '../workspace/target-file.ts';
import { writeTemp } from '../workspace/write-temp.ts';
import { composeFile } from './compose-file.ts';
import { linkTemp } from './linked-temp.ts';
import { contentPart, undoPart } from './session-content.ts';

export interface CommitTemp {
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
  { directory, temp, mode, content, appendTo, signal }: CommitTemp,
): Promise<TargetState> => {
  if (appendTo === null && (await linkTemp({ directory, temp, mode }, contents, content)))
    return { sha256: content.sha256, bytes: content.bytes };
  const parts = [
    ...(appendTo === null ? [] : [undoPart(contents, appendTo)]),
    contentPart(contents, content),
  ];
  return writeTemp(directory, temp, mode, (handle) => composeFile(handle, parts, signal));
};
