import { statSync } from 'node:fs';
import { ConfigError } from '../base/config-error.ts';
import { contains, realPathOf } from '../config/workspace-place.ts';
import { stacksFolder } from './stack-place.ts';

/** Why a folder can have no stack; undefined when it can. */
const problemOf = (stateDir: string, folder: string): string | undefined => {
  const stats = statSync(folder, { throwIfNoEntry: false });
  const received = `received ${JSON.stringify(folder)}`;
  if (stats === undefined) return `expected a folder that is there, ${received}`;
  if (!stats.isDirectory()) return `expected a folder, ${received}`;
  const [stacks, workspace] = [realPathOf(stacksFolder(stateDir)), realPathOf(folder)];
  if (contains(workspace, stacks))
    return `expected a folder that does not contain what Orion keeps for itself (${stacks}), ${received}: name a folder in it, or set XDG_STATE_HOME to one outside of it`;
  if (contains(stacks, workspace))
    return `expected a folder outside of what Orion keeps for itself (${stacks}), ${received}`;
  return undefined;
};

/** Throws ConfigError when tools must not work in a folder: they would read and write Orion's own files. */
export const checkStackFolder = (stateDir: string, folder: string): void => {
  const problem = problemOf(stateDir, folder);
  if (problem !== undefined) throw new ConfigError([`workspace: ${problem}`]);
};
