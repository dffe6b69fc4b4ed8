import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import type { GatewayConfig } from '../config/config.ts';
import { isLoopback } from '../base/hosts/loopback.ts';
import { systemClock } from '../base/pace/clock.ts';
import { packageVersion } from '../base/package-version.ts';
import { readNextPromptFrom } from '../context/next-prompt.ts';
import { readSentPromptFrom } from '../context/sent-prompt.ts';
import { createConversationLists } from '../db/conversations/conversation-lists.ts';
import { createConversationRepository } from '../db/conversations/conversation-repository.ts';
import { createFileChangeRepository } from '../db/record/file-change-repository.ts';
import { createInputNews } from '../db/inputs/input-news.ts';
import { createInputRepository } from '../db/inputs/input-repository.ts';
import { createMessageRepository } from '../db/conversations/message-repository.ts';
import { createReadProjectDays } from '../db/usage/project-days.ts';
import { createSpendRepository } from '../db/usage/spend-repository.ts';
import { createTraceRepository } from '../db/record/trace-repository.ts';
import { createTurnRepository, type TurnRepository } from '../db/turns/turn-repository.ts';
import { createTraceStore, type TraceRecorder } from '../trace/trace-store.ts';
import { createHasSearchAttributes } from '../temporal/search-attributes.ts';
import { createSignIns, type SignIns } from './access/sign-in.ts';
import { createLane, openHub } from './compose-lane.ts';
import type { GatewayDeps, GatewaySettings } from './deps/gateway-deps.ts';
import type { GatewayParts } from './deps/gateway-parts.ts';
import {
  createDataProbe,
  createStorageProbe,
  createWorkspaceProbe,
  createTemporalProbes,
} from './health/probes.ts';
import { Admission, MAX_RUNNING_TURNS } from './turns/admission.ts';
import { ConcurrentStarts } from './turns/concurrent-starts.ts';
import { createGatewayMetrics, type GatewayMetrics } from './health/gateway-metrics.ts';
import type { ReadinessProbes } from './health/readiness.ts';
import { allowedHostsOf, laneAddressOf } from './deps/own-address.ts';
import { readPageFiles } from './page/page-files.ts';
import type { TurnHub } from './hub/turn-hub.ts';
import type { ReconcileDeps } from '../turns/reconcile.ts';
import { findSteer } from '../db/turns/steer-rows.ts';
import { createAskTurn } from './turns/ask-turn.ts';
import { createTurnSteers } from './turns/turn-steers.ts';
import { createReplyContents } from '../db/inputs/reply-contents.ts';
import { createInputRequests } from './turns/input-requests.ts';
import { createTurnUndo } from './turns/turn-undo.ts';
import { createTurnStarter, type TurnDefaults } from './turns/turn-starter.ts';
import { createTurnCanceller, createTurnReader } from './turns/turn-workflows.ts';
import { composeStorage, freeSpaceOf } from './storage/compose-storage.ts';
import { composeWriteSessions } from './write-session/write-session-parts.ts';

/** Set-up builds the page there: it belongs to the sources, not to the data. */
const PAGE_FOLDER = fileURLToPath(new URL('../../.orion/page', import.meta.url));

/** Builds what the HTTP layer needs over real stores and Temporal; opens nothing by itself. */
export const composeGateway = (parts: GatewayParts): { deps: GatewayDeps; hub: TurnHub } => {
  const { config, db, log } = parts;
  const { client } = parts.temporal;
  const turns = createTurnRepository(db);
  const traces = createTraceRepository(db);
  const reconciling = { client, turns, taskQueue: config.temporal.taskQueue };
  const { now } = systemClock;
  const starts = new ConcurrentStarts(now);
  const metrics = createMetrics(turns, starts);
  const hub = openHub(parts, reconciling, { ...metrics, laneOpened: createStartMeter(starts, metrics) });
  const hasSearchAttributes = createHasSearchAttributes(parts.temporal, (message) => log.warn(message));
  const deps: GatewayDeps = {
    ...parts,
    metrics,
    settings: settingsOf(config),
    info: infoOf(config),
    page: readPageFiles(PAGE_FOLDER),
    signIns: signInsOf(parts),
    logger: log,
    starter: createTurnStarter({
      ...reconciling,
      defaults: turnDefaults(parts),
      admission: new Admission({ countRunning: () => turns.countRunning(), starts, now }),
      hasSearchAttributes,
    }),
    ...portsOf(reconciling, db, hub),
    events: hub,
    ...storesOf(parts),
    ...writingOf(parts, hasSearchAttributes, createTraceStore({ repository: traces, log })),
    traces,
    probes: createProbes(parts),
    lane: createLane(parts, hub, metrics),
    clock: systemClock,
  };
  return { deps, hub };
};

const signInsOf = ({ keys, config }: GatewayParts): SignIns | undefined =>
  keys && createSignIns({ secret: config.live.token, keys, now: () => Date.now() });

/** Composes the parts that write files, and take back what was written. */
const writingOf = (
  parts: GatewayParts,
  hasSearchAttributes: () => Promise<boolean>,
  traces: TraceRecorder,
): Pick<GatewayDeps, 'writeSessions' | 'turnUndo'> => {
  const writeSessions = composeWriteSessions({ ...parts, ...parts.files, hasSearchAttributes, traces });
  const changes = createFileChangeRepository(parts.db, writeSessions.withFreeTarget);
  return { writeSessions, turnUndo: createTurnUndo({ ...parts.files, changes }) };
};

/** Composes the ports to turns that were started. */
const portsOf = (
  reconciling: ReconcileDeps,
  db: GatewayParts['db'],
  hub: TurnHub,
): Pick<GatewayDeps, 'turns' | 'canceller' | 'inputs' | 'steers'> => {
  const { client, turns } = reconciling;
  const asking = { turns, askTurn: createAskTurn(reconciling) };
  const inputs = createInputRepository(db);
  return {
    turns: createTurnReader(client, turns),
    canceller: createTurnCanceller(client, turns),
    inputs: createInputRequests({ ...asking, inputs, replyContents: createReplyContents(db) }),
    steers: createTurnSteers({ ...asking, events: hub, findSteer: (...args) => findSteer(db, ...args) }),
  };
};

const infoOf = ({ workspace, settings, model }: GatewayConfig) => ({
  version: packageVersion(),
  workspace,
  settings,
  modelFacts: model.facts,
});

const storesOf = ({ config, db, files, log }: GatewayParts) => ({
  inputNews: createInputNews({ databaseUrl: config.databaseUrl, log }),
  messages: createMessageRepository(db),
  conversationLists: createConversationLists(db),
  conversations: createConversationRepository(db),
  nextPrompt: readNextPromptFrom(db, files.workspace, {
    window: config.turns.window,
    defaultModel: config.model.model,
  }),
  sentPrompt: readSentPromptFrom(db),
  storage: composeStorage(config, db),
  spend: createSpendRepository(db),
  projectDays: createReadProjectDays(db),
  workspace: files.workspace,
});

const createProbes = ({ config, db, temporal }: GatewayParts): ReadinessProbes => ({
  ...createTemporalProbes(temporal, config.temporal.taskQueue),
  database: async () => void (await sql`select 1`.execute(db)),
  data: createDataProbe(config.dataDir),
  workspace: createWorkspaceProbe(config.workspace),
  storage: createStorageProbe(freeSpaceOf(config)),
});

const createMetrics = (turns: Pick<TurnRepository, 'findEnded'>, starts: ConcurrentStarts): GatewayMetrics =>
  createGatewayMetrics({
    findEnded: (turnIds) => turns.findEnded(turnIds),
    startLimit: () => Math.min(starts.limit, MAX_RUNNING_TURNS),
  });

/** Counts how long starts take: the first sign here of a turn's start is a worker that opens its lane. */
const createStartMeter =
  (starts: ConcurrentStarts, metrics: Pick<GatewayMetrics, 'turnReached'>) =>
  (turnId: string): void => {
    const milliseconds = starts.heard(turnId);
    if (milliseconds !== undefined) metrics.turnReached(milliseconds / 1_000);
  };

const settingsOf = ({ http, turns, temporal, model }: GatewayConfig): GatewaySettings => ({
  allowedHosts: allowedHostsOf(http),
  allowedOrigins: http.allowedOrigins,
  turnsPerMinute: http.turnsPerMinute,
  maxStreamsPerClient: http.maxStreamsPerClient,
  turnsPerKey: http.turnsPerKey,
  areMetricsPublic: isLoopback(http.host),
  offersTwoStage: turns.offersTwoStage,
  maxPhaseCyclesLimit: turns.maxPhaseCyclesLimit,
  models: model.offered,
  temporalUi:
    temporal.uiUrl === undefined ? undefined : { url: temporal.uiUrl, namespace: temporal.namespace },
});

const turnDefaults = (parts: GatewayParts): TurnDefaults => {
  const { config } = parts;
  return {
    budgets: config.turns.budgets,
    model: config.model.model,
    fallbacks: config.model.fallbacks,
    maxTurnCost: config.turns.maxTurnCost,
    toolResultRole: config.turns.toolResultRole,
    projects: config.projects,
    heartbeatTimeoutMs: config.worker.heartbeatTimeoutMs,
    sessionInactivityMs: config.writeSessions.inactivityTimeoutMs,
    inputs: config.inputs,
    notifies: config.notifies,
    maxPhaseCyclesLimit: config.turns.maxPhaseCyclesLimit,
    liveLane: laneAddressOf(config, parts),
  };
};
