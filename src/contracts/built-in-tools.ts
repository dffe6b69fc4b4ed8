import type { ToolDeclaration } from './tool-call.ts';

/** A tool of ours as every part must agree on it; the model may use an alias in place of the name. */
export type BuiltInTool = ToolDeclaration & { readonly aliases: readonly string[] };

/** What is known of the built-in tools without their code (tools.md "Contract"). */
export const builtInTools = [
  {
    name: 'FileSystemTool_read_file',
    aliases: ['read_file'],
    effect: 'read',
    pathArguments: ['path'],
    volatileFields: [],
    defaults: {},
  },
  {
    name: 'FileSystemTool_list_files',
    aliases: ['list_files'],
    effect: 'read',
    pathArguments: ['path'],
    volatileFields: [],
    defaults: { recursive: true, no_ignore: false },
  },
  {
    name: 'FileSystemTool_write_to_file',
    aliases: ['write_to_file'],
    effect: 'write',
    pathArguments: ['path'],
    volatileFields: [],
    defaults: {},
  },
] as const satisfies readonly BuiltInTool[];
