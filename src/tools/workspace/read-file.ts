import { z } from 'zod';
import { builtInTool } from '../built-in-tool.ts';
import { readLines } from './read-lines.ts';
import type { Tool } from '../tool.ts';
import type { Workspace } from '../../files/workspace/workspace.ts';

const line = z.number().int().min(1);

const inputSchema = z
  .strictObject({
    path: z.string().describe('File path relative to the workspace root'),
    start_line: line.optional().describe('First line to read, counted from 1'),
    end_line: line.optional().describe('Last line to read, inclusive'),
  })
  .superRefine(({ start_line = 1, end_line }, context) => {
    if (end_line === undefined || end_line >= start_line) return;
    context.addIssue({
      code: 'custom',
      path: ['end_line'],
      message: `expected at least start_line (${start_line})`,
    });
  });

/** Creates `FileSystemTool_read_file`, which returns the text of a file or of a range of its lines, numbered. */
export const createReadFileTool = (workspace: Workspace): Tool<z.infer<typeof inputSchema>> => ({
  ...builtInTool('FileSystemTool_read_file'),
  description:
    'Read a text file of the workspace, whole or by a range of lines. Before each line stand its number and a tab, which are not part of the file. Long files are cut; read on with start_line.',
  input: inputSchema,
  execute: ({ path, start_line, end_line }, { projectId, signal }) =>
    workspace.withFile(projectId, path, async (file) => {
      const outcome = await readLines(file, { first: start_line ?? 1, last: end_line, signal });
      switch (outcome.kind) {
        case 'lines': {
          const { kind: _kind, ...lines } = outcome;
          return { ok: true, result: { path, ...lines } };
        }
        case 'binary':
          return {
            ok: false,
            error: `binary file, cannot be shown as text (${file.stats.size} bytes): ${path}`,
          };
        case 'beyond':
          return {
            ok: false,
            error: `start_line: expected at most ${outcome.totalLines}, the last line of ${path}, received ${start_line}`,
          };
        default:
          return outcome satisfies never;
      }
    }),
});
