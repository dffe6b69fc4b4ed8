import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ConfigError } from '../base/errors/config-error.ts';
import { folderContains, resolveRealPath } from '../base/folder-paths.ts';

/** The places where the stack of one workspace keeps its own files. None of them is in the workspace. */
export interface StackPaths {
  /** Real path of the folder in which tools work. */
  readonly workspace: string;
  /** The folder of the stack, which contains all paths below. */
  readonly folder: string;
  /** The data directory (`ORION_DATA_DIR`). */
  readonly dataDir: string;
  /** The file with ports and workspace (`StackRecord`). */
  readonly recordFile: string;
  /** The file with the output of the supervisor. */
  readonly logFile: string;
  /** A file that a process has locked while it starts the stack. */
  readonly lockFile: string;
}

const HASH_DIGITS = 12;
const MAX_NAME_CHARACTERS = 40;

/** Returns the folder of all stacks. `stateDir` is that of `CliConfig`. */
export const stacksFolder = (stateDir: string): string => resolve(stateDir, 'stacks');

/** Returns the paths of a workspace's stack. They depend on its real path, so links to a folder share its stack. */
export const stackPathsOf = (stateDir: string, path: string): StackPaths => {
  const workspace = resolveRealPath(path);
  const hash = createHash('sha256').update(workspace).digest('hex').slice(0, HASH_DIGITS);
  // The name is for people who look into the folder. The hash makes it unique.
  const name = basename(workspace)
    .replaceAll(/[^\w.-]/g, '-')
    .slice(0, MAX_NAME_CHARACTERS);
  const folder = join(stacksFolder(stateDir), `${name}-${hash}`);
  return {
    workspace,
    folder,
    dataDir: join(folder, 'data'),
    recordFile: join(folder, 'stack.json'),
    logFile: join(folder, 'orion.log'),
    lockFile: join(folder, 'start.lock'),
  };
};

/**
 * Throws ConfigError if a folder cannot be a workspace: it does not exist, is not a folder, or contains or is part of
 * what Orion keeps for itself, which tools must not read or write.
 */
export const requireStackWorkspace = (stateDir: string, folder: string): void => {
  const problem = workspaceProblem(stateDir, folder);
  if (problem !== undefined) throw new ConfigError([`workspace: ${problem}`]);
};

/** Returns why a folder can have no stack. Returns undefined if it can. */
const workspaceProblem = (stateDir: string, folder: string): string | undefined => {
  const stats = statSync(folder, { throwIfNoEntry: false });
  const receivedText = `received ${JSON.stringify(folder)}`;
  if (stats === undefined) return `expected a folder that is there, ${receivedText}`;
  if (!stats.isDirectory()) return `expected a folder, ${receivedText}`;
  const stacks = resolveRealPath(stacksFolder(stateDir));
  const workspace = resolveRealPath(folder);
  if (folderContains(workspace, stacks)) {
    return `expected a folder that does not contain what Orion keeps for itself (${stacks}), ${receivedText}: name a folder in it, or set XDG_STATE_HOME to one outside of it`;
  }
  if (folderContains(stacks, workspace)) {
    return `expected a folder outside of what Orion keeps for itself (${stacks}), ${receivedText}`;
  }
  return undefined;
};
