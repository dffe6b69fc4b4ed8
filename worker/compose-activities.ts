import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { createAppendEvents } from '../activities/append-events.ts';
import { createAskTemporal } from '../activities/temporal-patience.ts';
import { createActivities } from '../activities/create-activities.ts';
import { composeWriting } from './compose-writing.ts';
import type { ServiceConfig } from '../src/config/config.ts';
import { createContextService } from '../src/context/context-service.ts';
import type { ContextService } from '../src/context/context-service.ts';
import { describeSurroundings } from '../src/context/surroundings.ts';
import { loadSystemPrompt } from '../src/context/system-prompt.ts';
import { createContextRepository } from '../src/db/context-repository.ts';
import type { Database } from '../src/db/database.ts';
import { createMessageRepository } from '../src/db/message-repository.ts';
import { createRetention } from '../src/db/retention.ts';
import { createSegmentRepository } from '../src/db/segment-repository.ts';
import { createToolLedger } from '../src/db/tool-ledger.ts';
import { createTraceRepository } from '../src/db/trace-repository.ts';
import { createTurnRepository } from '../src/db/turn-repository.ts';
import { createLaneTransport } from '../src/live/lane-transport.ts';
import { createModelClient } from '../src/llm/openai-client.ts';
import { createBuiltInTools } from '../src/tools/built-in-set.ts';
import { createMcpPool } from '../src/tools/mcp/mcp-pool.ts';
import { createToolRegistry } from '../src/tools/registry.ts';
import { createToolRunner } from '../src/tools/runner.ts';
import { createTraceService } from '../src/trace/trace-service.ts';
import { openConfiguredWorkspace } from '../src/files/workspace/workspace.ts';
import type { Workspace } from '../src/files/workspace/workspace.ts';
import type { SessionDeps } from '../src/write-session-service/session-deps.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

export interface WorkerParts {
  readonly config: ServiceConfig;
  readonly db: Database;
  /** A pool of their own: traces that cannot be stored must not take the connections of the turns. */
  readonly traceDb: Database;
  /** Signals the workflows; not the worker's own connection, whose retries are others. */
  readonly client: Client;
  /** Whether the namespace has Orion's search attributes; throws while Temporal cannot be reached. */
  readonly hasSearchAttributes: () => Promise<boolean>;
  readonly metrics: WorkerMetrics;
  readonly log: Logger;
}

export interface ComposedActivities {
  readonly activities: ReturnType<typeof createActivities>;
  /** What the sweeper closes write sessions with. */
  readonly sessions: SessionDeps;
  close(): Promise<void>;
}

/** Builds the activities of a worker over real stores, tools and model. */
export const composeActivities = async ({
  config,
  db,
  traceDb,
  client,
  hasSearchAttributes,
  metrics,
  log,
}: WorkerParts): Promise<ComposedActivities> => {
  const traces = createTraceService({ repository: createTraceRepository(traceDb), log });
  const workspace = await openConfiguredWorkspace(config);
  const mcp = createMcpPool(config.mcpServers, log);
  await mcp.start();
  const writing = await composeWriting({ config, db, client, hasSearchAttributes, workspace, traces });
  const registry = createToolRegistry([...createBuiltInTools(workspace), writing.beginTool], mcp);
  const lane = config.live.enabled ? createLaneTransport({ ...config.live, log }) : undefined;
  const context = await composeContext(db, workspace, config.turns.historyLimit);
  const activities = createActivities({
    ...storesOf(db),
    traces,
    appendEvents: createAppendEvents(client),
    askTemporal: createAskTemporal(client),
    buildContext: ({ projectId, conversationId, turnId, mode }) =>
      context.buildContext(projectId, conversationId, { turnId, mode }),
    model: createModelClient(config.model),
    registry,
    runner: metrics.measured(
      createToolRunner({ registry, ledger: createToolLedger(db), clock: { now: () => Date.now() } }),
      registry,
    ),
    ...writing,
    retentionDays: config.retentionDays,
    ...(lane ? { lane } : {}),
  });
  const close = async (): Promise<void> => {
    lane?.close();
    await Promise.all([mcp.close(), workspace.close()]);
  };
  return { activities, sessions: { ...writing, client, taskQueue: config.temporal.taskQueue }, close };
};

const storesOf = (db: Database) => ({
  contexts: createContextRepository(db),
  segments: createSegmentRepository(db),
  turns: createTurnRepository(db),
  retention: createRetention(db),
});

const composeContext = async (
  db: Database,
  workspace: Workspace,
  historyLimit: number,
): Promise<ContextService> =>
  createContextService({
    prompt: await loadSystemPrompt(),
    surroundings: describeSurroundings(workspace),
    history: createMessageRepository(db).history,
    historyLimit,
  });
