import { composeCommands } from './compose-commands.ts';
import type { WorkerParts } from './worker-parts.ts';
import { createRecallRepository } from '../src/db/conversations/recall-repository.ts';
import { createToolLedgerRepository } from '../src/db/turns/tool-ledger-repository.ts';
import type { ContentStore } from '../src/files/content-store/content-store.ts';
import type { Workspace } from '../src/files/workspace/workspace.ts';
import { logLeftOutTools } from '../src/llm/left-out-tools.ts';
import { createMcpPool } from '../src/tools/mcp/mcp-pool.ts';
import { createToolRegistry, type ToolRegistry } from '../src/tools/registry.ts';
import { createToolRunner, type ToolRunner } from '../src/tools/run/runner.ts';
import { createSearchConversationTool } from '../src/tools/search/search-conversation.ts';
import type { Tool } from '../src/tools/tool.ts';
import { createWorkspaceTools } from '../src/tools/workspace/workspace-tools.ts';

/** The parts of a worker that its tools use in addition to `WorkerParts`. */
export interface ComposeToolsDeps {
  readonly workspace: Workspace;
  readonly contents: Pick<ContentStore, 'undo'>;
  /** The tool that begins a write session. */
  readonly beginTool: Tool;
}

/** The tools of a worker and the runner of their calls. */
export interface ComposedTools {
  readonly registry: ToolRegistry;
  readonly runner: ToolRunner;
  /** Closes the MCP servers, which offer some of the tools. */
  close(): Promise<void>;
}

/** Builds the registry of tools and the runner of their calls, and starts the configured MCP servers. */
export const composeTools = async (
  parts: WorkerParts,
  { workspace, contents, beginTool }: ComposeToolsDeps,
): Promise<ComposedTools> => {
  const { config, db, metrics, log } = parts;
  const mcp = createMcpPool(config.mcpServers, log);
  await mcp.start();
  const search = createSearchConversationTool(createRecallRepository(db).recall);
  const commands = await composeCommands({ ...parts, workspace });
  const registry = createToolRegistry(
    [...createWorkspaceTools(workspace), search, ...commands, beginTool],
    mcp,
  );
  logLeftOutTools(config.model, registry.definitions('act'), log);
  const runner = createToolRunner({
    registry,
    ledger: createToolLedgerRepository(db),
    copies: contents.undo,
    clock: { now: () => Date.now() },
  });
  return { registry, runner: metrics.measureRunner(runner, registry), close: () => mcp.close() };
};
