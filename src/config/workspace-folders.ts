import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';

/** The folders where tools work and where Orion keeps its own files, as absolute paths. */
export interface WorkspaceFolders {
  readonly dataDir: string;
  readonly workspace: string;
  /** True when ORION_WORKSPACE names the workspace. Otherwise the workspace is created at the first start. */
  readonly isNamed: boolean;
}

/**
 * Returns the real path of `path`. If nothing exists there, returns the real path that it will have once it is created.
 */
export const realPathOf = (path: string): string => {
  if (existsSync(path)) return realpathSync.native(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPathOf(parent), basename(path));
};

/** Reports whether `outer` contains `inner` or is the same folder. Both are real paths. */
export const folderContains = (outer: string, inner: string): boolean => {
  const path = relative(outer, inner);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
};

/**
 * Adds a problem to `problems` if tools must not work in this workspace. Overlaps are found by real paths, so that no
 * link hides one.
 */
export const checkWorkspace = (folders: WorkspaceFolders, problems: string[]): void => {
  const problem =
    missingProblem(folders) ?? overlapProblem(realPathOf(folders.dataDir), realPathOf(folders.workspace));
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
  const own = join(dataDir, 'workspace');
  if (folderContains(dataDir, workspace) && !folderContains(own, workspace)) {
    return `expected a folder outside of the data directory (${dataDir}), or ${own}, received "${workspace}"`;
  }
  return undefined;
};
