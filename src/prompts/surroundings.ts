import type { Workspace } from '../files/workspace/workspace.ts';
import { type Instructions, readInstructions } from './instructions.ts';
import { listSkills } from './skills.ts';
import { listTree } from '../files/workspace/tree.ts';
import { shownName } from './shown-name.ts';

/** Number of levels of folders in the outline (docs/context.md "Surroundings"). */
const DEPTH = 2;
const MAX_LINES = 50;

/** The description of a project's workspace. */
export interface Surroundings {
  /**
   * Paths, two levels deep and without those that ignore rules hide. If there are more than 50, or more than is read of
   * a folder, at most 49 and a line that says so. Null if the workspace could not be read.
   */
  readonly files: readonly string[] | null;
  /** One line for each skill. Empty if the skills could not be read. */
  readonly skills: readonly string[];
  /** The project's `AGENTS.md`. Null if it is missing or blank, or could not be read. */
  readonly instructions: Instructions | null;
}

/**
 * Time in milliseconds after which what has not been read of the surroundings counts as unreadable, because a disk that
 * hangs must not hold up the answer.
 */
const READ_TIMEOUT_MS = 2_000;

/**
 * Returns a function that describes the workspace of a project. It never rejects, because a workspace that cannot be
 * read should cost a turn its outline, not fail the turn.
 */
export const describeSurroundings =
  (workspace: Workspace) =>
  async (projectId: string): Promise<Surroundings> => {
    const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
    const [files, skills, instructions] = await Promise.all([
      inTime(outlineWorkspace(workspace, projectId, signal), null, signal),
      inTime(listSkills(workspace, projectId, signal), [], signal),
      inTime(readInstructions(workspace, projectId), null, signal),
    ]);
    return { files, skills, instructions };
  };

const outlineWorkspace = async (
  workspace: Workspace,
  projectId: string,
  signal: AbortSignal,
): Promise<readonly string[] | null> => {
  const options = { depth: DEPTH, includesIgnored: false, limit: MAX_LINES, signal };
  const { paths, isTruncated } = await listTree(workspace, projectId, '.', options);
  const lines = isTruncated ? [...paths.slice(0, MAX_LINES - 1), '… cut, there is more'] : paths;
  return lines.map(shownName);
};

/** Resolves to the value of `work`, or to `unread` when `work` fails or has not ended once `signal` is aborted. */
const inTime = <T>(work: Promise<T>, unread: T, signal: AbortSignal): Promise<T> => {
  const late = new Promise<T>((resolve) => {
    signal.addEventListener('abort', () => resolve(unread), { once: true });
  });
  return Promise.race([work.catch(() => unread), late]);
};
