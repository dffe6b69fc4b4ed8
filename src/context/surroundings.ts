import type { Workspace } from '../files/workspace/workspace.ts';
import { listSkills } from './skills.ts';
import { listTree } from '../files/workspace/tree.ts';
import { shownName } from './shown-name.ts';

/** docs/storage.md "Context". */
const DEPTH = 2;
const MAX_LINES = 50;
/** A workspace on a disk that hangs must not keep the answer from coming. */
const TIME_LIMIT_MS = 2_000;

/**
 * What the prompt says of the files of a project: their paths, two levels deep, at most 50 lines, without what
 * ignore rules hide. Never rejects: a workspace that cannot be read costs the outline, not the turn.
 */
export const outlineWorkspace = async (workspace: Workspace, projectId: string): Promise<string> => {
  const signal = AbortSignal.timeout(TIME_LIMIT_MS);
  const options = { depth: DEPTH, noIgnore: false, limit: MAX_LINES, signal };
  try {
    const { paths, truncated } = await listTree(workspace, projectId, '.', options);
    if (paths.length === 0) return '(The workspace is empty.)';
    const lines = truncated ? [...paths.slice(0, MAX_LINES - 1), '… cut, there is more'] : paths;
    // Indented, it is code whatever the names are: no name can be a heading or end a fence.
    return lines.map((line) => `    ${shownName(line)}`).join('\n');
  } catch {
    return '(The workspace could not be read.)';
  }
};

/** What system-prompt.md is filled in with from the workspace of a project. */
export const describeSurroundings =
  (workspace: Workspace) =>
  async (projectId: string): Promise<{ readonly files: string; readonly skills: string | undefined }> => {
    const [files, skills] = await Promise.all([
      outlineWorkspace(workspace, projectId),
      listSkills(workspace, projectId),
    ]);
    return { files, skills };
  };
