import { isBinary } from '../../base/text/is-binary.ts';
import { listTree } from '../../files/workspace/tree.ts';
import { WorkspaceError } from '../../files/workspace/workspace-error.ts';
import type { Workspace } from '../../files/workspace/workspace.ts';
import { grammarFor } from './languages.ts';
import { MIB } from '../../contracts/values/units.ts';

/** Largest number of entries that are listed; the shallow ones are kept. */
const MAX_ENTRIES = 10_000;
/** Largest file that is parsed, in bytes. Parsing a file of this size takes half a second. */
const MAX_FILE_BYTES = MIB;

/** The files below a directory that are in a known language. */
export interface SourceFiles {
  /** Paths from the root, the shallow ones first. */
  readonly paths: readonly string[];
  /** True when there are more entries than were listed. */
  readonly isTruncated: boolean;
}

/**
 * Returns the source files below a directory that `listTree` lists. Returns undefined when `path` is no directory.
 * Rejects with WorkspaceError for any other failure, or with the signal's reason.
 */
export const listSourceFiles = async (
  workspace: Workspace,
  projectId: string,
  path: string,
  signal: AbortSignal,
): Promise<SourceFiles | undefined> => {
  const options = { depth: Number.POSITIVE_INFINITY, includesIgnored: false, limit: MAX_ENTRIES, signal };
  try {
    const { paths, isTruncated } = await listTree(workspace, projectId, path, options);
    const known = paths.filter((entry) => grammarFor(entry) !== undefined);
    return { paths: known.toSorted((a, b) => depthOf(a) - depthOf(b)), isTruncated };
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === 'not_a_directory') return undefined;
    throw error;
  }
};

const depthOf = (path: string): number => path.split('/').length;

/** Text of a file that is to be parsed, or why the file is not parsed. */
export type SourceText =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'too_large' | 'binary' };

/** Returns the text of a source file, or why it is not read. Rejects with WorkspaceError. */
export const readSource = (workspace: Workspace, projectId: string, path: string): Promise<SourceText> =>
  workspace.withFile(projectId, path, async ({ handle, stats }): Promise<SourceText> => {
    if (stats.size > MAX_FILE_BYTES) return { kind: 'too_large' };
    const buffer = Buffer.alloc(stats.size);
    const { bytesRead } = await handle.read(buffer, 0, stats.size, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (isBinary(bytes)) return { kind: 'binary' };
    return { kind: 'text', text: bytes.toString('utf8') };
  });
