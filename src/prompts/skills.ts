import { listTree } from '../files/workspace/tree.ts';
import type { Workspace } from '../files/workspace/workspace.ts';
import { shownName } from './outside-text.ts';

const FOLDER = '.orion/skills';
const MAX_SKILLS = 20;
/**
 * Number of bytes that are read of a skill's file. They normally suffice for the first line, which says what the skill
 * is for.
 */
const HEAD_BYTES = 512;

/**
 * Lists the skills of a project: at most 20 Markdown files in `.orion/skills`, each by its path and its first line with
 * text, so that the model reads the skill that it needs. A file that cannot be read is listed by its path only. Rejects
 * when the folder is missing, or cannot be read before `signal` is aborted.
 */
export const listSkills = async (
  workspace: Workspace,
  projectId: string,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  // The limit is higher than `MAX_SKILLS` because files other than Markdown count as well.
  const options = { depth: 1, includesIgnored: true, limit: 10 * MAX_SKILLS, signal };
  const { paths } = await listTree(workspace, projectId, FOLDER, options);
  const files = paths.filter((path) => path.endsWith('.md')).slice(0, MAX_SKILLS);
  return Promise.all(files.map((path) => readSkillLine(workspace, projectId, path)));
};

const readSkillLine = async (workspace: Workspace, projectId: string, path: string): Promise<string> => {
  const title = await readFirstLine(workspace, projectId, path).catch(() => '');
  return `${shownName(path)}${title === '' ? '' : `: ${shownName(title)}`}`;
};

const readFirstLine = (workspace: Workspace, projectId: string, path: string): Promise<string> =>
  workspace.withFile(projectId, path, async ({ handle }) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const lines = buffer.toString('utf8', 0, bytesRead).split(/\r?\n/);
    const line = lines.find((text) => text.trim() !== '') ?? '';
    return line.replace(/^#+\s*/, '').trim();
  });
