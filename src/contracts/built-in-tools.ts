import type { ToolDeclaration } from './tool-call.ts';

const declare = (
  name: string,
  declaration: Partial<ToolDeclaration> & Pick<ToolDeclaration, 'effect'>,
): ToolDeclaration => ({ name, pathArguments: ['path'], volatileFields: [], defaults: {}, ...declaration });

/** Its success makes the model's next text a file (docs/write-sessions.md "In a turn"). */
export const BEGIN_WRITE_SESSION = 'WritePlanTool_begin';

/** What the protocol core must know of the tools that every Orion has (docs/tools.md). */
export const BUILT_IN_TOOLS: readonly ToolDeclaration[] = [
  declare('FileSystemTool_read_file', { effect: 'read' }),
  declare('FileSystemTool_list_files', { effect: 'read', defaults: { recursive: true, no_ignore: false } }),
  declare('FileSystemTool_search_files', { effect: 'read', defaults: { no_ignore: false } }),
  declare('FileSystemTool_list_code_definition_names', { effect: 'read' }),
  declare('FileSystemTool_write_to_file', { effect: 'write' }),
  declare(BEGIN_WRITE_SESSION, { effect: 'write', pathArguments: ['target_file'] }),
];

/** `FileSystemTool_read_file` → `read_file`: models often leave the prefix out. */
export const toolAlias = (name: string): string => name.slice(name.indexOf('_') + 1);

/** The built-in tool behind a name or alias; exact names, never prefixes. */
export const describeBuiltInTool = (name: string): ToolDeclaration | undefined =>
  BUILT_IN_TOOLS.find((tool) => tool.name === name || toolAlias(tool.name) === name);
