/** Reports whether a tool belongs to an MCP server. The names of such tools are `mcp__<server>__<tool>`. */
export const isMcpTool = (name: string): boolean => name.startsWith('mcp__');

/**
 * Splits `FileSystemTool_read_file` into tool `FileSystemTool` and action `read_file`; names of MCP tools, and names
 * without `_`, have an empty action.
 */
export const splitToolName = (name: string): { tool: string; action: string } => {
  const cut = isMcpTool(name) ? -1 : name.indexOf('_');
  return cut < 0 ? { tool: name, action: '' } : { tool: name.slice(0, cut), action: name.slice(cut + 1) };
};

/** The words before a tool's name in the result that the model reads, by which readers of prompts find it. */
export const TOOL_RESULT_HEADING = 'TOOL RESULT: ';

/** Returns `Tool.action`, as results and the model name a tool. A name without an action (MCP tools) stays as it is. */
export const toolLabel = (name: string): string => {
  const { tool, action } = splitToolName(name);
  return action === '' ? tool : `${tool}.${action}`;
};

/**
 * Returns the name of a tool as people read it next to the subject of the call.
 *
 * - `FileSystemTool_read_file` becomes `read_file`, and so does its label (`toolLabel`), which tool results have, and
 *   events that were stored long ago.
 * - `mcp__files__move` becomes `files.move`.
 * - Any other name stays as it is.
 */
export const toolAction = (name: string): string => {
  const [, server, action] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  if (server !== undefined) return `${server}.${action}`;
  return /^\w+?Tool[._](.+)$/.exec(name)?.[1] ?? name;
};
