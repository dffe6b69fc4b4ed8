import type { Workspace } from '../files/workspace/workspace.ts';
import { listSkills } from './skills.ts';
import { outlineWorkspace } from './workspace-outline.ts';

/** What system-prompt.md is filled in with from the workspace of a project. */
export const describeSurroundings =
  (workspace: Workspace) =>
  async (projectId: string): Promise<{ readonly files: string; readonly skills: string | undefined }> => {
    const [files, skills] = await Promise.all([
      outlineWorkspace(workspace, projectId),
      listSkills(workspace, projectId),
    ]);
    return { files, skills };
  };
