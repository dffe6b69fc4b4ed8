import { existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { folderContains, resolveRealPath } from '../base/folder-paths.ts';

/** The folders where tools work and where Orion keeps its own files, as absolute paths. */
export interface WorkspaceFolders {
  readonly dataDir: string;
  readonly workspace: string;
  /** True when ORION_WORKSPACE names the workspace. Otherwise the workspace is created at the first start. */
  readonly isNamed: boolean;
}

/**
 * Adds a problem to `problems` if tools must not work in this workspace. Overlaps are found by real paths, so that no
 * link hides one.
 */
export const requireUsableWorkspace = (folders: WorkspaceFolders, problems: string[]): void => {
  const problem =
    missingProblem(folders) ??
    overlapProblem(resolveRealPath(folders.dataDir), resolveRealPath(folders.workspace));
  if (problem !== undefined) problems.push(`ORION_WORKSPACE: ${problem}`);
};

/**
 * Returns what is wrong if a named workspace does not exist or is not a directory. A mistyped path must not become an
 * empty folder in which tools find nothing.
 */
const missingProblem = ({ dataDir, workspace, isNamed }: WorkspaceFolders): string | undefined => {
  if (!isNamed || workspace === join(dataDir, 'workspace')) return undefined;
  if (!existsSync(workspace)) {
    const problem = isLink(workspace) ? 'leads nowhere' : 'does not exist';
    return `expected a folder that is there, received "${workspace}", which ${problem}`;
  }
  return statSync(workspace).isDirectory() ? undefined : `expected a directory, received "${workspace}"`;
};

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/**
 * Returns what is wrong if workspace and data directory overlap. Tools could then read Orion's database, logs and
 * password, or write among its own files. Only the default workspace, or a folder in it, may be inside the data
 * directory.
 */
const overlapProblem = (dataDir: string, workspace: string): string | undefined => {
  if (folderContains(workspace, dataDir)) {
    return `expected a folder that does not contain the data directory (${dataDir}), received "${workspace}": set ORION_DATA_DIR to a folder outside of it`;
  }
  const defaultWorkspace = join(dataDir, 'workspace');
  if (folderContains(dataDir, workspace) && !folderContains(defaultWorkspace, workspace)) {
    return `expected a folder outside of the data directory (${dataDir}), or ${defaultWorkspace}, received "${workspace}"`;
  }
  return undefined;
};
