import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Keyring } from '../access/key-file.ts';
import type { GatewayConfig } from '../config/config.ts';
import { isLoopback } from '../base/loopback.ts';
import { systemClock } from '../base/clock.ts';
import { packageVersion } from '../base/package-version.ts';
import type { Database } from '../db/database.ts';
import { createConversationRepository } from '../db/conversation-repository.ts';
import { createMessageRepository } from '../db/message-repository.ts';
import { createTraceRepository } from '../db/trace-repository.ts';
import { createTurnRepository } from '../db/turn-repository.ts';
import { createLaneRouter } from '../live/lane-router.ts';
import { createTraceService } from '../trace/trace-service.ts';
import { createHasSearchAttributes } from '../temporal/search-attributes.ts';
import type { TemporalClient } from '../temporal/temporal-client.ts';
import type { GatewayDeps, GatewaySettings } from './gateway-deps.ts';
import type { Connections } from './connections/connections.ts';
import {
  createDataProbe,
  createStorageProbe,
  createWorkspaceProbe,
  createTemporalProbes,
} from './health/probes.ts';
import { Admission } from './turns/admission.ts';
import { createGatewayMetrics, type GatewayMetrics } from './metrics/gateway-metrics.ts';
import type { ReadinessProbes } from './health/readiness.ts';
import { createTurnHub, type TurnHub } from './hub/turn-hub.ts';
import { createTurnSources } from './turns/turn-sources.ts';
import { createTurnStarter, type TurnDefaults } from './turns/turn-starter.ts';
import { createTurnCanceller, createTurnReader } from './turns/turn-workflows.ts';
import { composeStorage, freeSpaceOf } from './storage/compose-storage.ts';
import { composeWriteSessions, type SessionFiles } from './write-session/write-session-parts.ts';

export interface GatewayParts {
  readonly config: GatewayConfig;
  readonly db: Database;
  readonly temporal: TemporalClient;
  readonly log: Logger;
  readonly keys: Keyring | undefined;
  readonly files: SessionFiles;
  readonly connections: Connections;
  /** Aborted before the hub is closed. */
  readonly closing: AbortSignal;
  /** Base URL under which workers on this machine reach the gateway. */
  readonly localUrl: string;
}

/** Builds what the HTTP layer needs over real stores and Temporal; opens nothing by itself. */
export const composeGateway = (parts: GatewayParts): { deps: GatewayDeps; hub: TurnHub } => {
  const { config, db, log } = parts;
  const { client } = parts.temporal;
  const turns = createTurnRepository(db);
  const traces = createTraceRepository(db);
  const reconciling = { client, turns, taskQueue: config.temporal.taskQueue };
  const hub = createTurnHub({ sources: createTurnSources(reconciling), log });
  const metrics = createGatewayMetrics({ endedOf: (turnIds) => turns.endedOf(turnIds) });
  const hasSearchAttributes = createHasSearchAttributes(parts.temporal, (message) => parts.log.warn(message));
  const deps: GatewayDeps = {
    ...parts,
    metrics,
    settings: settingsOf(config),
    info: infoOf(config),
    logger: log,
    starter: createTurnStarter({
      ...reconciling,
      defaults: turnDefaults(parts),
      admission: new Admission({ countRunning: () => turns.countRunning(), now: () => performance.now() }),
      hasSearchAttributes,
    }),
    turns: createTurnReader(client, turns),
    canceller: createTurnCanceller(client, turns),
    events: hub,
    ...storesOf(parts),
    writeSessions: composeWriteSessions({
      ...parts,
      ...parts.files,
      hasSearchAttributes,
      traces: createTraceService({ repository: traces, log }),
    }),
    traces,
    probes: createProbes(parts),
    lane: createLane(parts, hub, metrics),
    clock: systemClock,
  };
  return { deps, hub };
};

const storesOf = ({ config, db }: GatewayParts) => ({
  messages: createMessageRepository(db),
  conversations: createConversationRepository(db),
  storage: composeStorage(config, db),
});

const createProbes = ({ config, db, temporal }: GatewayParts): ReadinessProbes => ({
  ...createTemporalProbes(temporal, config.temporal.taskQueue),
  database: async () => void (await sql`select 1`.execute(db)),
  data: createDataProbe(config.dataDir),
  workspace: createWorkspaceProbe(config.workspace),
  storage: createStorageProbe(freeSpaceOf(config)),
});

const createLane = (
  parts: GatewayParts,
  sink: TurnHub,
  metrics: Pick<GatewayMetrics, 'laneLag' | 'laneRefused'>,
): GatewayDeps['lane'] => {
  const address = laneAddress(parts);
  if (address === undefined) return undefined;
  const { config, log, closing } = parts;
  const onLag = (milliseconds: number): void => metrics.laneLag(milliseconds / 1_000);
  const onRefused = metrics.laneRefused;
  return createLaneRouter({ token: config.live.token, address, sink, closing, log, onLag, onRefused });
};

/** Where turns are told to find this gateway; undefined when the lane is off. */
const laneAddress = ({ config, localUrl }: GatewayParts): string | undefined =>
  config.live.enabled ? (config.live.address ?? localUrl) : undefined;

const settingsOf = ({ http, turns, temporal, model }: GatewayConfig): GatewaySettings => ({
  allowedHosts: http.allowedHosts,
  allowedOrigins: http.allowedOrigins,
  turnsPerMinute: http.turnsPerMinute,
  maxStreamsPerClient: http.maxStreamsPerClient,
  turnsPerKey: http.turnsPerKey,
  metricsOpen: isLoopback(http.host),
  twoStageEnabled: turns.twoStageEnabled,
  maxPhaseCyclesLimit: turns.maxPhaseCyclesLimit,
  models: model.offered,
  temporalUi:
    temporal.uiUrl === undefined ? undefined : { url: temporal.uiUrl, namespace: temporal.namespace },
});

const infoOf = ({ workspace, settings }: GatewayConfig): GatewayDeps['info'] => ({
  version: packageVersion(),
  workspace,
  settings,
});

const turnDefaults = (parts: GatewayParts): TurnDefaults => ({
  budgets: parts.config.turns.budgets,
  model: parts.config.model.model,
  toolResultRole: parts.config.turns.toolResultRole,
  projects: parts.config.projects,
  heartbeatTimeoutMs: parts.config.worker.heartbeatTimeoutMs,
  sessionInactivityMs: parts.config.writeSessions.inactivityTimeoutMs,
  liveLane: laneAddress(parts),
});
