import type { ToolDefinition } from '../contracts/tools/tool-call.ts';
import { isMcpTool } from '../contracts/tools/tool-name.ts';

/** The tools of a request that its provider accepts, and the others. */
export interface TakenTools {
  readonly taken: readonly ToolDefinition[];
  readonly leftOut: readonly ToolDefinition[];
}

/**
 * Divides tools where there are more than a provider accepts: those of MCP servers are left out, from the end, so that
 * Orion's and the client's stay and requests begin alike. `maxTools` undefined: it takes any number.
 */
export const takenTools = (tools: readonly ToolDefinition[], maxTools = Infinity): TakenTools => {
  const over = tools.length - maxTools;
  if (over <= 0) return { taken: tools, leftOut: [] };
  const leftOut = tools.filter((tool) => isMcpTool(tool.function.name)).slice(-over);
  return { taken: tools.filter((tool) => !leftOut.includes(tool)), leftOut };
};
