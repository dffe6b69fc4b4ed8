import type { McpServerSettings } from '../../config/files/mcp-servers.ts';
import type { Tool } from '../tool.ts';
import type { ListedTool } from './mcp-requests.ts';
import { type McpLog, mcpTool, type McpToolDeps } from './mcp-tool.ts';
import { KIB } from '../../contracts/values/units.ts';

const MAX_TOOLS = 200;
/** Largest number of bytes that the tools of one server may add to every prompt: names, descriptions and schemas. */
const MAX_OFFERED_BYTES = 128 * KIB;

/**
 * Returns those tools of a server's list that are offered, by the names that models know. Logs which tools are left
 * out.
 */
export const offeredTools = (
  server: McpServerSettings,
  list: readonly ListedTool[],
  deps: McpToolDeps & { readonly log: McpLog },
): ReadonlyMap<string, Tool> => {
  const tools = new Map<string, Tool>();
  const leftOut: string[] = list.slice(MAX_TOOLS).map(({ name }) => name);
  let bytes = 0;
  for (const one of list.slice(0, MAX_TOOLS)) {
    const tool = mcpTool(server, one, deps);
    if (tool === undefined || tools.has(tool.declaration.name)) {
      deps.log.warn({ server: server.name, tool: one.name }, 'MCP tool left out');
      continue;
    }
    const size = promptBytes(tool);
    if (bytes + size > MAX_OFFERED_BYTES) {
      leftOut.push(one.name);
    } else {
      bytes += size;
      tools.set(tool.declaration.name, tool);
    }
  }
  if (leftOut.length > 0) logLeftOut(server.name, leftOut, deps.log);
  logDistrusted(server, list, deps.log);
  return tools;
};

const promptBytes = ({ declaration, description, parameters }: Tool): number =>
  Buffer.byteLength(declaration.name + description + JSON.stringify(parameters));

const logLeftOut = (server: string, names: readonly string[], log: McpLog): void =>
  log.warn(
    { server, leftOut: names.length, tools: names.slice(0, 20) },
    `MCP server offers more than ${MAX_TOOLS} tools or ${MAX_OFFERED_BYTES} bytes, which stand in every prompt; the rest is left out`,
  );

const logDistrusted = (server: McpServerSettings, list: readonly ListedTool[], log: McpLog): void => {
  const distrusted = list.filter(
    ({ name, annotations }) => annotations?.readOnlyHint === true && !Object.hasOwn(server.effects, name),
  );
  if (server.trustsAnnotations || distrusted.length === 0) return;
  log.info(
    { server: server.name, tools: distrusted.length },
    'MCP tools that call themselves read-only are taken for writes; "orion": { "trustAnnotations": true } or "effect" says otherwise',
  );
};
