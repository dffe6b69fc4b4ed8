import { createListFilesTool } from './list-files.ts';
import { createReadFileTool } from './read-file.ts';
import type { Tool } from './tool.ts';
import type { Workspace } from './workspace/workspace.ts';
import { createWriteToFileTool } from './write-to-file.ts';

/** The built-in tools, in the order in which they are offered to the model. */
export const createBuiltInTools = (workspace: Workspace): readonly Tool[] => [
  createReadFileTool(workspace),
  createListFilesTool(workspace),
  createWriteToFileTool(workspace),
];
