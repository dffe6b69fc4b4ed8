import type { Workspace } from '../files/workspace/workspace.ts';
import { type Instructions, readInstructions, READ_TIMEOUT_MS } from './instructions.ts';
import { listSkills } from './skills.ts';
import { listTree } from '../files/workspace/tree.ts';
import { shownName } from './shown-name.ts';

/** Levels of folders in the outline (docs/context.md "Surroundings"). */
const DEPTH = 2;
const MAX_LINES = 50;

/** The description of a project's workspace. */
export interface Surroundings {
  /**
   * Paths, two levels deep and without those that ignore rules hide. If there are more than 50, the first 49 and a line
   * that says so. Null if the workspace could not be read.
   */
  readonly files: readonly string[] | null;
  /** One line for each skill. */
  readonly skills: readonly string[];
  /** The project's `AGENTS.md`. Null if there is none, or it could not be read. */
  readonly instructions: Instructions | null;
}

const outlineWorkspace = async (
  workspace: Workspace,
  projectId: string,
): Promise<readonly string[] | null> => {
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  const options = { depth: DEPTH, includesIgnored: false, limit: MAX_LINES, signal };
  try {
    const { paths, isTruncated } = await listTree(workspace, projectId, '.', options);
    const lines = isTruncated ? [...paths.slice(0, MAX_LINES - 1), '… cut, there is more'] : paths;
    return lines.map(shownName);
  } catch {
    return null;
  }
};

/**
 * Returns a function that describes the workspace of a project. It never rejects, because a workspace that cannot be
 * read should cost a turn its outline, not fail the turn.
 */
export const describeSurroundings =
  (workspace: Workspace) =>
  async (projectId: string): Promise<Surroundings> => {
    const [files, skills, instructions] = await Promise.all([
      outlineWorkspace(workspace, projectId),
      listSkills(workspace, projectId),
      readInstructions(workspace, projectId),
    ]);
    return { files, skills, instructions };
  };
