import { createHash } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { realPathOf } from '../config/workspace-place.ts';

/** Where the stack of one workspace keeps what is its own: nothing of it lies in the workspace. */
export interface StackPlace {
  /** Real path of the folder that tools work in. */
  readonly workspace: string;
  /** All below is in it. */
  readonly folder: string;
  /** ORION_DATA_DIR. */
  readonly dataDir: string;
  /** Ports and workspace, see `StackRecord`. */
  readonly recordFile: string;
  /** Output of the supervisor. */
  readonly logFile: string;
}

const HASH_DIGITS = 12;
const LONGEST_NAME = 40;

/** Folder of all stacks; `stateDir` as in `CliConfig`. */
export const stacksFolder = (stateDir: string): string => resolve(stateDir, 'stacks');

/** The stack of a workspace, by its real path: links to a folder share its stack. */
export const placeOf = (stateDir: string, path: string): StackPlace => {
  const workspace = realPathOf(path);
  const hash = createHash('sha256').update(workspace).digest('hex').slice(0, HASH_DIGITS);
  // For people who look into the folder; the hash alone tells stacks apart.
  const name = basename(workspace)
    .replaceAll(/[^\w.-]/g, '-')
    .slice(0, LONGEST_NAME);
  const folder = join(stacksFolder(stateDir), `${name}-${hash}`);
  return {
    workspace,
    folder,
    dataDir: join(folder, 'data'),
    recordFile: join(folder, 'stack.json'),
    logFile: join(folder, 'orion.log'),
  };
};
