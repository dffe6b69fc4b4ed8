import type { Logger } from 'pino';
import { createAppendEvents } from '../activities/turn/append-events.ts';
import { createPingTemporal } from '../activities/attempt/heartbeat.ts';
import { createActivities } from '../activities/create-activities.ts';
import { composePrompts } from './compose-prompts.ts';
import { composeStores, type WorkerStores } from './compose-stores.ts';
import { composeTools } from './compose-tools.ts';
import { composeCompaction, composeNotifications } from './compose-follow-ups.ts';
import type { WorkerParts } from './worker-parts.ts';
import { composeWriting } from './compose-writing.ts';
import type { ServiceConfig } from '../src/config/config.ts';
import type { TurnSinks } from '../src/contracts/payload/turn-workflow-payloads.ts';
import { createTraceRepository } from '../src/db/turns/trace-repository.ts';
import type { LaneTransport } from '../src/live/lane.ts';
import { createLaneTransport } from '../src/live/http/lane-transport.ts';
import { createRedisTransport } from '../src/live/redis/redis-transport.ts';
import { createModelRouter } from '../src/llm/model-router.ts';
import { createTraceRecorder } from '../src/trace/trace-recorder.ts';
import { openConfiguredWorkspace } from '../src/files/workspace/open-workspace.ts';
import type { SessionDeps } from '../src/write-session-service/session-deps.ts';

/** The activities of a worker, and the parts that other code of the process needs. */
export interface ComposedActivities {
  readonly activities: ReturnType<typeof createActivities>;
  /** Handlers of what workflows report to the worker process. */
  readonly sinks: TurnSinks;
  /** The parts with which the sweeper closes write sessions. */
  readonly sessionDeps: SessionDeps;
  /** The stores whose open rows the sweeper looks after. */
  readonly stores: Pick<WorkerStores, 'turns' | 'outbox' | 'summaries'>;
  /** Closes the lane, the tools and the workspace. Call it after the worker has stopped. */
  close(): Promise<void>;
}

/**
 * Builds the activities of a worker over the real stores, tools and model, and starts the configured MCP servers.
 * Rejects if a part cannot be built, for instance if the workspace cannot be opened. MCP servers that are away are no
 * reason.
 */
export const composeActivities = async (parts: WorkerParts): Promise<ComposedActivities> => {
  const { config, db, traceDb, client, hasSearchAttributes, metrics, log } = parts;
  const traces = createTraceRecorder({ repository: createTraceRepository(traceDb), log });
  const workspace = await openConfiguredWorkspace(config);
  const writing = await composeWriting({ config, db, client, hasSearchAttributes, workspace, traces });
  const { registry, runner, close: closeTools } = await composeTools(parts, { ...writing, workspace });
  const lane = composeLane(config.live, log);
  const { prompts, prefetch } = await composePrompts(parts, workspace);
  const stores = composeStores(db);
  const activities = createActivities({
    ...stores,
    traces,
    appendEvents: createAppendEvents(client),
    pingTemporal: createPingTemporal(client),
    prompts,
    model: createModelRouter(config.model),
    registry,
    runner,
    ...writing,
    ...composeNotifications(parts, stores),
    ...composeCompaction(parts, prompts),
    countTokens: metrics.countTokens,
    countCost: metrics.countCost,
    prices: config.prices,
    retentionDays: config.retentionDays,
    ...(lane && { lane }),
  });
  const close = async (): Promise<void> => {
    lane?.close();
    await Promise.all([closeTools(), workspace.close()]);
  };
  const sinks: TurnSinks = { promptPrefetch: prefetch };
  const sessionDeps = { ...writing, client, taskQueue: config.temporal.taskQueue };
  return { activities, sinks, sessionDeps, stores, close };
};

const composeLane = (live: ServiceConfig['live'], log: Logger): LaneTransport | undefined => {
  if (!live.isEnabled) return undefined;
  const http = createLaneTransport({ ...live, log });
  const { redisUrl: url, token } = live;
  return url === undefined ? http : createRedisTransport({ url, token, fallback: http, log });
};
