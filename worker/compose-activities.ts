import type { Logger } from 'pino';
import { createAppendEvents } from '../activities/turn/append-events.ts';
import { createPingTemporal } from '../activities/attempt/heartbeat.ts';
import { createActivities } from '../activities/create-activities.ts';
import { systemClock } from '../src/base/pace/clock.ts';
import { composeCommands } from './compose-commands.ts';
import { composeStores, type WorkerStores } from './compose-stores.ts';
import { composeCompaction, composeNotifications } from './compose-turn-ends.ts';
import type { WorkerParts } from './worker-parts.ts';
import { composeWriting } from './compose-writing.ts';
import type { ServiceConfig } from '../src/config/config.ts';
import type { TurnSinks } from '../src/contracts/payload/turn-workflow-payloads.ts';
import { type ContextService, createContextService } from '../src/context/context-service.ts';
import { EarlyContexts } from '../src/context/early-contexts.ts';
import { describeSurroundings } from '../src/context/surroundings.ts';
import { loadSystemPrompt } from '../src/context/system-prompt.ts';
import type { Database } from '../src/db/connection/database.ts';
import { createTranscriptRepository } from '../src/db/conversations/transcript-repository.ts';
import { createRecallRepository } from '../src/db/conversations/recall-repository.ts';
import { createToolLedgerRepository } from '../src/db/record/tool-ledger-repository.ts';
import { createTraceRepository } from '../src/db/record/trace-repository.ts';
import type { LaneTransport } from '../src/live/lane.ts';
import { createLaneTransport } from '../src/live/http/lane-transport.ts';
import { createRedisTransport } from '../src/live/redis/redis-transport.ts';
import { logLeftOutTools } from '../src/llm/left-out-tools.ts';
import { createModelRouter } from '../src/llm/model-router.ts';
import { createWorkspaceTools } from '../src/tools/workspace/workspace-tools.ts';
import { createSearchConversationTool } from '../src/tools/search-conversation.ts';
import type { Tool } from '../src/tools/tool.ts';
import { createMcpPool, type McpPool } from '../src/tools/mcp/mcp-pool.ts';
import { createToolRegistry, type ToolRegistry } from '../src/tools/registry.ts';
import { createToolRunner, type ToolRunner } from '../src/tools/run/runner.ts';
import { createTraceStore } from '../src/trace/trace-store.ts';
import type { ContentStore } from '../src/files/content-store/content-store.ts';
import { openConfiguredWorkspace, type Workspace } from '../src/files/workspace/workspace.ts';
import type { SessionDeps } from '../src/write-session-service/session-deps.ts';

/** The activities of a worker, and what ends with them. */
export interface ComposedActivities {
  readonly activities: ReturnType<typeof createActivities>;
  readonly sinks: TurnSinks;
  /** The parts with which the sweeper closes write sessions. */
  readonly sessions: SessionDeps;
  /** The stores whose open rows the sweeper looks after. */
  readonly stores: Pick<WorkerStores, 'turns' | 'outbox' | 'summaries'>;
  close(): Promise<void>;
}

const wallClock = { now: () => Date.now() };

/** Builds the activities of a worker over real stores, tools and model. */
export const composeActivities = async (parts: WorkerParts): Promise<ComposedActivities> => {
  const { config, db, traceDb, client, hasSearchAttributes, metrics, log } = parts;
  const traces = createTraceStore({ repository: createTraceRepository(traceDb), log });
  const workspace = await openConfiguredWorkspace(config);
  const mcp = createMcpPool(config.mcpServers, log);
  await mcp.start();
  const writing = await composeWriting({ config, db, client, hasSearchAttributes, workspace, traces });
  const commands = await composeCommands({ ...parts, workspace });
  const own = [...createWorkspaceTools(workspace), searchOf(db), ...commands, writing.beginTool];
  const registry = openRegistry(own, mcp, parts);
  const lane = composeLane(config.live, log);
  const service = await composeContexts(db, workspace, config);
  const contexts = new EarlyContexts({ clock: systemClock, build: (turn) => service.begin(turn) });
  const stores = composeStores(db);
  const activities = createActivities({
    ...stores,
    traces,
    appendEvents: createAppendEvents(client),
    pingTemporal: createPingTemporal(client),
    prompts: { ...service, begin: (turn) => contexts.take(turn) },
    model: createModelRouter(config.model),
    registry,
    runner: metrics.measureRunner(openRunner(registry, db, writing.contents), registry),
    ...writing,
    ...composeNotifications(parts, stores),
    ...composeCompaction(parts, service),
    countTokens: metrics.countTokens,
    countCost: metrics.countCost,
    prices: config.prices,
    retentionDays: config.retentionDays,
    ...(lane ? { lane } : {}),
  });
  const close = async (): Promise<void> => {
    lane?.close();
    await Promise.all([mcp.close(), workspace.close()]);
  };
  const sinks: TurnSinks = { context: contexts };
  const sessions = { ...writing, client, taskQueue: config.temporal.taskQueue };
  return { activities, sinks, sessions, stores, close };
};

const openRegistry = (tools: readonly Tool[], mcp: McpPool, { config, log }: WorkerParts): ToolRegistry => {
  const registry = createToolRegistry(tools, mcp);
  logLeftOutTools(config.model, registry.definitions('act'), log);
  return registry;
};

const searchOf = (db: Database): Tool => createSearchConversationTool(createRecallRepository(db).recall);

const composeLane = (live: ServiceConfig['live'], log: Logger): LaneTransport | undefined => {
  if (!live.isEnabled) return undefined;
  const http = createLaneTransport({ ...live, log });
  const { redisUrl: url, token } = live;
  return url === undefined ? http : createRedisTransport({ url, token, fallback: http, log });
};

const openRunner = (registry: ToolRegistry, db: Database, { undo }: Pick<ContentStore, 'undo'>): ToolRunner =>
  createToolRunner({ registry, ledger: createToolLedgerRepository(db), copies: undo, clock: wallClock });

const composeContexts = async (
  db: Database,
  workspace: Workspace,
  { turns }: Pick<ServiceConfig, 'turns'>,
): Promise<ContextService> =>
  createContextService({
    systemPrompt: await loadSystemPrompt(),
    surroundings: describeSurroundings(workspace),
    transcripts: createTranscriptRepository(db),
    window: turns.window,
    now: () => Date.now(),
  });
