import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';

/** The folders where tools work and where Orion keeps its own files, as absolute paths. */
export interface WorkspaceFolders {
  readonly dataDir: string;
  readonly workspace: string;
  /** True when ORION_WORKSPACE named the workspace; the default one is made at the first start. */
  readonly isNamed: boolean;
}

/** Returns the real path of what is at `path`, or would be once it is made: links above it are followed. */
export const realPathOf = (path: string): string => {
  if (existsSync(path)) return realpathSync.native(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPathOf(parent), basename(path));
};

/** Tells if one folder is in another, by their real paths; true for `inner` itself, too. */
export const folderContains = (outer: string, inner: string): boolean => {
  const path = relative(outer, inner);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
};

/** Otherwise tools could read Orion's database, logs and password, or write among its own files. */
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

/** A mistyped path must not become an empty folder in which tools find nothing. */
const missingProblem = ({ dataDir, workspace, isNamed }: WorkspaceFolders): string | undefined => {
  if (!isNamed || workspace === join(dataDir, 'workspace')) return undefined;
  if (!existsSync(workspace)) {
    const what = isLink(workspace) ? 'leads nowhere' : 'does not exist';
    return `expected a folder that is there, received "${workspace}", which ${what}`;
  }
  return statSync(workspace).isDirectory() ? undefined : `expected a directory, received "${workspace}"`;
};

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/**
 * Adds to `problems` why tools must not work in this workspace. Real paths are compared, so that no link hides
 * anything.
 */
export const checkWorkspace = (folders: WorkspaceFolders, problems: string[]): void => {
  const problem =
    missingProblem(folders) ?? overlapProblem(realPathOf(folders.dataDir), realPathOf(folders.workspace));
  if (problem !== undefined) problems.push(`ORION_WORKSPACE: ${problem}`);
};
