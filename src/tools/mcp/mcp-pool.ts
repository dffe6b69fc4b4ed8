import { setTimeout as delay } from 'node:timers/promises';
import type { McpServerSettings } from '../../config/files/mcp-servers.ts';
import type { ToolSource } from '../registry.ts';
import { ArgumentCheck } from './argument-check.ts';
import { mcpNamePrefix } from './mcp-names.ts';
import { DEFAULT_MCP_LIMITS, McpServer } from './mcp-server.ts';
import type { McpLog } from './mcp-tool.ts';

/** The MCP servers of a worker, whose connections all its turns share (docs/tools.md). */
export interface McpPool extends ToolSource {
  /** Connects to all servers. Resolves when each has answered or failed, or after `startPatienceMs`; never rejects. */
  start(): Promise<void>;
  /** Ends the connections and the processes of stdio servers. */
  close(): Promise<void>;
}

/** Creates the pool of MCP servers of a worker. It connects at `start`, and keeps trying servers that are away. */
export const createMcpPool = (
  settings: readonly McpServerSettings[],
  log: McpLog,
  limits = DEFAULT_MCP_LIMITS,
): McpPool => {
  const check = new ArgumentCheck();
  const servers = settings.map((one) => new McpServer(one, { log, limits, check }));
  return {
    tools: () => servers.flatMap((server) => [...server.tools.values()]),
    async find(name) {
      // A name may begin with the prefixes of two servers, `a` and `a__b`. Only one of them has a tool of that name.
      const owners = servers.filter((server) => name.startsWith(mcpNamePrefix(server.settings.name)));
      await Promise.all(owners.map((server) => server.tryConnect()));
      return owners.map((server) => server.tools.get(name)).find((tool) => tool !== undefined);
    },
    async start() {
      const patience = new AbortController();
      const settled = Promise.all(servers.map((server) => server.tryConnect()));
      await Promise.race([settled, delay(limits.startPatienceMs, undefined, patience)]);
      patience.abort();
    },
    async close() {
      await Promise.all([...servers.map((server) => server.close()), check.close()]);
    },
  };
};
