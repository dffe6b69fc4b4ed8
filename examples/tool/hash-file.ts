/**
 * A tool of your own: `FileSystemTool_hash_file`, by which a model tells whether two files are the same without reading
 * them. It has what every tool has: facts for the protocol, a description and a schema for the model, and the work,
 * inside the workspace's jail (docs/tools.md "The contract of a tool").
 *
 * register.diff beside it moves the file to src/tools/workspace and adds the lines that register it; CONTRIBUTING.md "A
 * tool" lists what else a permanent tool needs.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Workspace } from '../../src/files/workspace/workspace.ts';
import { builtInTool } from '../../src/tools/built-in-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';

/** Arguments are checked before `execute` sees them; descriptions are for the model. */
const inputSchema = z.strictObject({
  path: z.string().describe('File path relative to the workspace root'),
});

/** Creates `FileSystemTool_hash_file`, which returns the SHA-256 and the size of a file. */
export const createHashFileTool = (workspace: Workspace): Tool<z.infer<typeof inputSchema>> => ({
  // The protocol must know effect, path arguments and defaults to judge repeats; they are in
  // src/contracts/tools/built-in-tools.ts.
  ...builtInTool('FileSystemTool_hash_file'),
  description: 'SHA-256 and size of a file of the workspace: files with the same hash are the same.',
  input: inputSchema,
  // The jail opens the file, and what it refuses reaches the model as a failure of the call. Blocks are read one by
  // one, so that answers of other turns go on streaming meanwhile, and the signal ends the work at the call's time
  // limit.
  execute: ({ path }, { projectId, signal }) =>
    workspace.withFile(projectId, path, async (file) => {
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const chunk of file.handle.createReadStream({ autoClose: false, signal })) {
        const block = chunk as Buffer;
        hash.update(block);
        bytes += block.length;
      }
      return { ok: true, result: { path, sha256: hash.digest('hex'), bytes } };
    }),
});
