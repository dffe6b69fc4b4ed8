import type { ToolDefinition } from '../contracts/tools/tool-call.ts';
import { isMcpTool } from '../contracts/tools/tool-name.ts';

/** The tools of a request that its provider accepts, and the others. */
export interface AcceptedTools {
  readonly accepted: readonly ToolDefinition[];
  readonly leftOut: readonly ToolDefinition[];
}

/**
 * Divides tools if there are more than a provider accepts. Only tools of MCP servers are left out, the last ones first,
 * so that Orion's and the client's stay, and requests begin alike. If `maxTools` is undefined, the provider takes any
 * number.
 */
export const acceptedTools = (tools: readonly ToolDefinition[], maxTools = Infinity): AcceptedTools => {
  const over = tools.length - maxTools;
  if (over <= 0) return { accepted: tools, leftOut: [] };
  const leftOut = tools.filter((tool) => isMcpTool(tool.function.name)).slice(-over);
  return { accepted: tools.filter((tool) => !leftOut.includes(tool)), leftOut };
};
