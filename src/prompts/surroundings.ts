import type { Workspace } from '../files/workspace/workspace.ts';
import { WorkspaceError, type WorkspaceErrorCode } from '../files/workspace/workspace-error.ts';
import { type Instructions, readInstructions } from './instructions.ts';
import { listSkills } from './skills.ts';
import { listTree } from '../files/workspace/tree.ts';
import { MAX_OUTLINE_LINES, OUTLINE_DEPTH, outlineOf } from './outline.ts';

/** The description of a project's workspace. What could not be read is null. */
export interface Surroundings {
  /** The outline (`outlineOf`), without the entries that ignore rules hide. */
  readonly files: readonly string[] | null;
  /** One line for each skill. */
  readonly skills: readonly string[] | null;
  /** The project's `AGENTS.md`, or `none` if it is missing or blank. */
  readonly instructions: Instructions | 'none' | null;
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
export const createReadSurroundings =
  (workspace: Workspace) =>
  async (projectId: string): Promise<Surroundings> => {
    const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
    const [files, skills, instructions] = await Promise.all([
      inTime(outlineWorkspace(workspace, projectId, signal), signal),
      inTime(listSkills(workspace, projectId, signal).catch(ifAbsent([])), signal),
      inTime(readInstructions(workspace, projectId).catch(ifAbsent('none')), signal),
    ]);
    return { files, skills, instructions };
  };

const outlineWorkspace = async (
  workspace: Workspace,
  projectId: string,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const options = { depth: OUTLINE_DEPTH, includesIgnored: false, limit: MAX_OUTLINE_LINES, signal };
  return outlineOf(await listTree(workspace, projectId, '.', options));
};

/** The failures which mean that there is no such file or folder in the project, rather than one that cannot be read. */
const ABSENT: ReadonlySet<WorkspaceErrorCode> = new Set([
  'not_found',
  'outside',
  'is_a_directory',
  'not_a_directory',
  'not_a_file',
]);

/** Returns a handler of failed reads. It returns `absent` if there is nothing to read, and rethrows other errors. */
const ifAbsent =
  <const T>(absent: T) =>
  (error: unknown): T => {
    if (error instanceof WorkspaceError && ABSENT.has(error.code)) return absent;
    throw error;
  };

/** Resolves to the value of `work`, or to null when `work` fails or has not ended once `signal` is aborted. */
const inTime = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> => {
  const late = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  return Promise.race([work.catch(() => null), late]);
};
