import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import type { ToolOutcome } from '../../../src/tools/tool.ts';
import { createSearchFilesTool, type SearchFilesOptions } from '../../../src/tools/workspace/search-files.ts';
import { anyFence, inTempWorkspace, type TempWorkspace } from './temp-workspace.ts';

const put = async (root: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> => {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
};

interface Asked {
  readonly path?: string;
  readonly regex?: string;
  readonly file_pattern?: string;
  readonly no_ignore?: boolean;
}

/** Searches for `needle`, unless `asked` says otherwise. */
export const search = (
  workspace: Workspace,
  asked: Asked,
  { signal = new AbortController().signal, ...options }: SearchFilesOptions & { signal?: AbortSignal } = {},
): Promise<ToolOutcome> => {
  const tool = createSearchFilesTool(workspace, options);
  const input = tool.input.parse({ path: '.', regex: 'needle', ...asked });
  return tool.execute(input, { turnId: 't', projectId: 'p', signal, fence: anyFence() });
};

/** Resolves to the lines of a search, as the model sees them. Rejects when it fails. */
export const matches = async (workspace: Workspace, asked: Asked = {}): Promise<readonly string[]> =>
  matchesOf(await search(workspace, asked));

/** Returns the lines that a search has found. Throws when it failed. */
export const matchesOf = (outcome: ToolOutcome): readonly string[] => {
  if (!outcome.ok) throw new Error(outcome.error);
  return (outcome.result as { matches: string[] }).matches;
};

/** Resolves to the files in which something was found. */
export const found = async (workspace: Workspace, asked: Asked = {}): Promise<readonly string[]> => [
  ...new Set((await matches(workspace, asked)).map((match) => match.replace(/:\d+:.*$/s, ''))),
];

/** Runs `test` in a temporary workspace that has these files. */
export const inTree = (
  files: Readonly<Record<string, string | Buffer>>,
  test: (temp: TempWorkspace) => Promise<void>,
  options = {},
): Promise<void> =>
  inTempWorkspace(options, async (temp) => {
    await put(temp.root, files);
    await test(temp);
  });
