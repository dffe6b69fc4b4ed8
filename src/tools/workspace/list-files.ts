import { z } from 'zod';
import { builtInTool } from '../built-in-tool.ts';
import type { Tool } from '../tool.ts';
import { listTree } from '../../files/workspace/tree.ts';
import type { Workspace } from '../../files/workspace/workspace.ts';
import { KIB } from '../../contracts/values/units.ts';

const MAX_ENTRIES = 1_000;
/**
 * Largest size of all paths together, in bytes. With quotes and indentation the list stays below what the model may
 * see.
 */
const MAX_LISTED_BYTES = 18 * KIB;

const inputSchema = z.strictObject({
  path: z.string().describe('Directory path relative to the workspace root, "." for the root'),
  recursive: z.boolean().default(true).describe('List sub-directories, too'),
  no_ignore: z.boolean().default(false).describe('List what .gitignore files and the usual defaults hide'),
});

/** Creates `FileSystemTool_list_files`, which lists the paths below a directory, sorted. Directories end with `/`. */
export const createListFilesTool = (workspace: Workspace): Tool<z.infer<typeof inputSchema>> => ({
  ...builtInTool('FileSystemTool_list_files'),
  description: 'List files and directories of the workspace; directories end with "/".',
  input: inputSchema,
  async execute({ path, recursive, no_ignore }, { projectId, signal }) {
    const depth = recursive ? Number.POSITIVE_INFINITY : 1;
    const tree = await listTree(workspace, projectId, path, {
      depth,
      includesIgnored: no_ignore,
      limit: MAX_ENTRIES,
      signal,
    });
    const entries = withinBytes(tree.paths);
    const isTruncated = tree.isTruncated || entries.length < tree.paths.length;
    return {
      ok: true,
      result: { path, entries, ...(isTruncated && { note: truncationNote(entries.length) }) },
    };
  },
});

const withinBytes = (paths: readonly string[]): readonly string[] => {
  let bytes = 0;
  for (const [index, path] of paths.entries()) {
    bytes += Buffer.byteLength(path);
    if (bytes > MAX_LISTED_BYTES) return paths.slice(0, index);
  }
  return paths;
};

const truncationNote = (shownCount: number): string =>
  `… truncated, ${shownCount} entries shown; list a sub-directory to see more`;
