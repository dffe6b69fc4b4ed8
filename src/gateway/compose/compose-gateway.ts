import { fileURLToPath } from 'node:url';
import { systemClock } from '../../base/timing/clock.ts';
import { createFileChangeRepository } from '../../db/turns/file-change-repository.ts';
import { createTraceRepository } from '../../db/turns/trace-repository.ts';
import { createTurnRepository } from '../../db/turns/turn-repository.ts';
import { createHasSearchAttributes } from '../../temporal/search-attributes.ts';
import { createTraceRecorder, type TraceRecorder } from '../../trace/trace-recorder.ts';
import { createSignIns, type SignIns } from '../access/sign-in.ts';
import { composeMetrics, composeProbes, createStartMeter } from './compose-health.ts';
import { createLane, openHub } from './compose-lane.ts';
import { composeGatewayStores } from './compose-gateway-stores.ts';
import { composeTurns } from './compose-turns.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { infoOf, settingsOf } from '../deps/route-settings.ts';
import type { TurnHub } from '../hub/turn-hub.ts';
import { readPageFiles } from '../page/page-files.ts';
import { ConcurrentStarts } from '../admission/concurrent-starts.ts';
import { createTurnUndo } from '../turns/turn-undo.ts';
import { composeWriteSessions } from './compose-write-sessions.ts';

/**
 * The folder in which set-up builds the chat page. The page belongs to the sources, so the folder is not in the data
 * directory.
 */
const PAGE_FOLDER = fileURLToPath(new URL('../../../.orion/page', import.meta.url));

/**
 * Builds what the HTTP layer needs over real stores and Temporal. Reads the files of the chat page, asks Temporal for
 * the search attributes, and connects to Redis if `REDIS_URL` is set and the live lane is on. Throws when the files of
 * the page cannot be read.
 */
export const composeGateway = (parts: GatewayParts): { deps: GatewayDeps; hub: TurnHub } => {
  const { config, db, log, keys, connections, closing } = parts;
  const { client } = parts.temporal;
  const turns = createTurnRepository(db);
  const traces = createTraceRepository(db);
  const reconcileDeps = { client, turns, taskQueue: config.temporal.taskQueue };
  const starts = new ConcurrentStarts(systemClock.now);
  const metrics = composeMetrics(turns, starts);
  const hub = openHub(parts, reconcileDeps, { ...metrics, laneOpened: createStartMeter(starts, metrics) });
  const hasSearchAttributes = createHasSearchAttributes(parts.temporal, (message) => log.warn(message));
  const stores = composeGatewayStores(parts);
  const turnParts = { reconcileDeps, starts, hub, storage: stores.storage, hasSearchAttributes };
  const { writeSessions, turnUndo } = composeFileWriting(
    parts,
    hasSearchAttributes,
    createTraceRecorder({ repository: traces, log }),
  );
  const deps: GatewayDeps = {
    ...stores,
    ...composeTurns(parts, turnParts),
    writeSessions,
    turnUndo,
    keys,
    connections,
    closing,
    settings: settingsOf(config),
    info: infoOf(config),
    page: readPageFiles(PAGE_FOLDER),
    signIns: signInsOf(parts),
    logger: log,
    metrics,
    probes: composeProbes(parts),
    traces,
    lane: createLane(parts, hub, metrics),
    clock: systemClock,
  };
  return { deps, hub };
};

const signInsOf = ({ keys, config }: GatewayParts): SignIns | undefined =>
  keys && createSignIns({ secret: config.live.token, keys, now: () => Date.now() });

/** Composes write sessions, which write files, and the undo, which takes back what turns have written. */
const composeFileWriting = (
  parts: GatewayParts,
  hasSearchAttributes: () => Promise<boolean>,
  traces: TraceRecorder,
): Pick<GatewayDeps, 'writeSessions' | 'turnUndo'> => {
  const writeSessions = composeWriteSessions({ ...parts, ...parts.files, hasSearchAttributes, traces });
  const changes = createFileChangeRepository(parts.db, writeSessions.withFreeTarget);
  return { writeSessions, turnUndo: createTurnUndo({ ...parts.files, changes }) };
};
