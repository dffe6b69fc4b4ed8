import { createEditFileTool } from './edit-file.ts';
import { createListCodeDefinitionNamesTool } from './list-code-definition-names.ts';
import { createListFilesTool } from './list-files.ts';
import { createReadFileTool } from './read-file.ts';
import { createSearchFilesTool } from './search-files.ts';
import type { Tool } from '../tool.ts';
import type { Workspace } from '../../files/workspace/workspace.ts';
import { createWriteToFileTool } from './write-to-file.ts';

/** Creates the built-in tools that work on the files of a workspace and need nothing else. */
export const createWorkspaceTools = (workspace: Workspace): readonly Tool[] => [
  createReadFileTool(workspace),
  createListFilesTool(workspace),
  createSearchFilesTool(workspace),
  createListCodeDefinitionNamesTool(workspace),
  createWriteToFileTool(workspace),
  createEditFileTool(workspace),
];
