import { z } from 'zod';
import {
  BEGIN_WRITE_SESSION,
  MAX_WRITE_TO_FILE_BYTES,
  MAX_WRITE_TO_FILE_LINES,
} from '../../contracts/tools/built-in-tools.ts';
import { builtInTool } from '../built-in-tool.ts';
import type { Tool } from '../tool.ts';
import { countLines } from '../../write-session/content-ref.ts';
import type { Workspace } from '../../files/workspace/workspace.ts';

const inputSchema = z.strictObject({
  path: z.string().describe('File path relative to the workspace root; missing directories are made'),
  content: z
    .string()
    .refine((content) => content.isWellFormed(), {
      message: 'expected valid Unicode text (no lone surrogates)',
    })
    .describe(
      `The whole new content, at most ${MAX_WRITE_TO_FILE_LINES} lines and ${MAX_WRITE_TO_FILE_BYTES} bytes`,
    ),
});

/** Creates `FileSystemTool_write_to_file`, which replaces or creates one short file in one step. */
export const createWriteToFileTool = (workspace: Workspace): Tool<z.infer<typeof inputSchema>> => ({
  ...builtInTool('FileSystemTool_write_to_file'),
  description:
    'Create a short file of the workspace, or replace its whole content. ' +
    `At most ${MAX_WRITE_TO_FILE_LINES} lines and ${MAX_WRITE_TO_FILE_BYTES} bytes; longer files: ${BEGIN_WRITE_SESSION}.`,
  input: inputSchema,
  async execute({ path, content }, { projectId, signal, fence }) {
    const { bytes, lines, isTooLarge } = measure(content);
    if (isTooLarge) return { ok: false, error: tooLargeMessage(lines, bytes) };
    const status = await workspace.writeFile(projectId, path, Buffer.from(content), { fence, signal });
    return { ok: true, result: { path, status, bytes, lines } };
  },
  async preview({ path, content }, { projectId }) {
    const { bytes, lines, isTooLarge } = measure(content);
    if (isTooLarge) return { ok: false, error: tooLargeMessage(lines, bytes) };
    const before = await workspace.readTargetBefore(projectId, path);
    return { ok: true, target: path, before, after: Buffer.from(content) };
  },
  abandon: ({ path }, { projectId, fence }) => workspace.abandonWrites(projectId, path, fence),
});

const measure = (content: string): { bytes: number; lines: number; isTooLarge: boolean } => {
  const bytes = Buffer.byteLength(content);
  const lines = countLines(content);
  return { bytes, lines, isTooLarge: lines > MAX_WRITE_TO_FILE_LINES || bytes > MAX_WRITE_TO_FILE_BYTES };
};

const tooLargeMessage = (lines: number, bytes: number): string =>
  `content too large for write_to_file (${lines} lines, ${bytes} bytes; ` +
  `at most ${MAX_WRITE_TO_FILE_LINES} lines and ${MAX_WRITE_TO_FILE_BYTES} bytes): call ${BEGIN_WRITE_SESSION} and write the content as your next message`;
