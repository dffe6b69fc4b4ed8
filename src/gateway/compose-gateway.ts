import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { ServiceConfig } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { createMessageRepository } from '../db/message-repository.ts';
import { createTurnRepository } from '../db/turn-repository.ts';
import { createLaneRouter } from '../live/lane-router.ts';
import { ensureSearchAttributes } from '../turns/search-attributes.ts';
import type { TemporalClient } from '../turns/temporal-client.ts';
import type { GatewayDeps, GatewaySettings } from './gateway-deps.ts';
import { Admission } from './turns/admission.ts';
import { createTemporalProbes } from './turns/temporal-probes.ts';
import { systemTimers } from './timers.ts';
import { createTurnHub, type TurnHub } from './hub/turn-hub.ts';
import { createTurnSources } from './turns/turn-sources.ts';
import { createTurnStarter, type TurnDefaults } from './turns/turn-starter.ts';
import { createTurnCanceller, createTurnReader } from './turns/turn-workflows.ts';

/** With what is left of 2 s a start can still be refused in time. */
const SEARCH_ATTRIBUTES_MS = 1_000;

export interface GatewayParts {
  readonly config: ServiceConfig;
  readonly db: Database;
  readonly temporal: TemporalClient;
  readonly log: Logger;
  /** Base URL under which workers on this machine reach the gateway. */
  readonly localUrl: string;
}

/** Builds what the HTTP layer needs over real stores and Temporal; opens nothing by itself. */
export const composeGateway = (parts: GatewayParts): { deps: GatewayDeps; hub: TurnHub } => {
  const { config, db, temporal, log } = parts;
  const { client } = temporal;
  const { taskQueue } = config.temporal;
  const turns = createTurnRepository(db);
  const reconciling = { client, turns, taskQueue };
  const hub = createTurnHub({ sources: createTurnSources(reconciling), log });
  const deps: GatewayDeps = {
    settings: settingsOf(config),
    logger: log,
    starter: createTurnStarter({
      ...reconciling,
      defaults: turnDefaults(parts),
      admission: new Admission({ countRunning: () => turns.countRunning(), now: () => performance.now() }),
      hasSearchAttributes: rememberOnce(() =>
        client.withDeadline(Date.now() + SEARCH_ATTRIBUTES_MS, () =>
          ensureSearchAttributes(temporal, (message) => log.warn(message)),
        ),
      ),
    }),
    turns: createTurnReader(client, turns),
    canceller: createTurnCanceller(client),
    events: hub,
    messages: createMessageRepository(db),
    probes: {
      ...createTemporalProbes(temporal, taskQueue),
      database: async () => void (await sql`select 1`.execute(db)),
    },
    lane: config.live.enabled ? createLaneRouter({ token: config.live.token, sink: hub, log }) : undefined,
    timers: systemTimers,
  };
  return { deps, hub };
};

const settingsOf = ({ http, turns, temporal }: ServiceConfig): GatewaySettings => ({
  allowedHosts: http.allowedHosts,
  allowedOrigins: http.allowedOrigins,
  turnsPerMinute: http.turnsPerMinute,
  maxStreamsPerClient: http.maxStreamsPerClient,
  twoStageEnabled: turns.twoStageEnabled,
  maxPhaseCyclesLimit: turns.maxPhaseCyclesLimit,
  temporalUi:
    temporal.uiUrl === undefined ? undefined : { url: temporal.uiUrl, namespace: temporal.namespace },
});

const turnDefaults = ({ config, localUrl }: GatewayParts): TurnDefaults => ({
  budgets: config.turns.budgets,
  model: config.model.model,
  toolResultRole: config.turns.toolResultRole,
  heartbeatTimeoutMs: config.worker.heartbeatTimeoutMs,
  liveLane: config.live.enabled ? (config.live.address ?? localUrl) : undefined,
});

/** Asks until there is an answer, then keeps it; callers that come meanwhile share one question. */
const rememberOnce = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask().catch((error: unknown) => {
      answer = undefined;
      throw error;
    });
    return answer;
  };
};
