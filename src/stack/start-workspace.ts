import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { safeInLine } from '../base/text/safe-for-terminal.ts';
import type { Config } from '../config/config.ts';
import { ensureFolder } from '../process/folders.ts';

const SAMPLE = fileURLToPath(new URL('./sample-workspace', import.meta.url));
const MAX_NAMED_FILES = 5;

/**
 * Creates the workspace if it does not exist. A new workspace at the default place gets a few files to ask about,
 * unless projects have folders of their own, because no tool would find these files then. Throws StartError if it
 * cannot be created.
 */
export const ensureWorkspace = ({ workspace, dataDir, hasProjectFolders }: Config): void => {
  const isNew = workspace === join(dataDir, 'workspace') && !existsSync(workspace);
  ensureFolder('ORION_WORKSPACE', workspace);
  if (isNew && !hasProjectFolders) cpSync(SAMPLE, workspace, { recursive: true });
};

/** Returns the lines about the workspace for the person who starts the stack. */
export const listWorkspaceNotices = (config: Config): readonly string[] => {
  const stray = listStrayFiles(config);
  const more = stray.length > MAX_NAMED_FILES ? `, and ${stray.length - MAX_NAMED_FILES} more` : '';
  return [
    ...(config.hasBoundKeys && !config.hasProjectFolders
      ? [
          'warning: API keys are bound to projects, but ORION_PROJECT_FOLDERS is off: every key reads and writes the files of all projects',
        ]
      : []),
    ...(stray.length === 0
      ? []
      : [
          `no tool reaches ${stray.slice(0, MAX_NAMED_FILES).map(safeInLine).join(', ')}${more} in ${safeInLine(config.workspace)}, since projects have folders of their own: move what belongs to a project into the folder named by its id`,
        ]),
  ];
};

/** Returns the names of files that belong to no project. With project folders no tool reaches them. */
const listStrayFiles = ({ workspace, hasProjectFolders }: Config): readonly string[] =>
  hasProjectFolders
    ? readdirSync(workspace, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? entry.name : []))
    : [];
