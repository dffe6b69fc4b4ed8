/* How a gateway tells whether it can work, and what it counts (docs/operations.md "Monitoring"). */
import { sql } from 'kysely';
import type { TurnRepository } from '../../db/turns/turn-repository.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { createGatewayMetrics, type GatewayMetrics } from '../health/gateway-metrics.ts';
import {
  createDataProbe,
  createStorageProbe,
  createTemporalProbes,
  createWorkspaceProbe,
} from '../health/probes.ts';
import type { ReadinessProbes } from '../health/readiness.ts';
import { freeSpaceOf } from './compose-storage.ts';
import { MAX_RUNNING_TURNS } from '../admission/load-limit.ts';
import type { ConcurrentStarts } from '../admission/concurrent-starts.ts';

/** Builds the probes of all that a gateway depends on: Temporal, a worker, Postgres, its folders and their disks. */
export const composeProbes = ({ config, db, temporal }: GatewayParts): ReadinessProbes => ({
  ...createTemporalProbes(temporal, config.temporal.taskQueue),
  database: async () => void (await sql`select 1`.execute(db)),
  data: createDataProbe(config.dataDir),
  workspace: createWorkspaceProbe(config.workspace),
  storage: createStorageProbe(freeSpaceOf(config)),
});

/** Builds the metrics of a gateway. To count how the turns that it started have ended, they ask Postgres. */
export const composeMetrics = (
  turns: Pick<TurnRepository, 'findEndStatuses'>,
  starts: ConcurrentStarts,
): GatewayMetrics =>
  createGatewayMetrics({
    findEndStatuses: (turnIds) => turns.findEndStatuses(turnIds),
    startLimit: () => Math.min(starts.limit, MAX_RUNNING_TURNS),
  });

/**
 * Returns the function to call when a worker opens the lane of a turn, which is the first sign here that the worker has
 * the turn. The function reports the duration of the start to `starts` and to the metrics.
 */
export const createStartMeter =
  (starts: ConcurrentStarts, metrics: Pick<GatewayMetrics, 'turnReached'>) =>
  (turnId: string): void => {
    const milliseconds = starts.reachedWorker(turnId);
    if (milliseconds !== undefined) metrics.turnReached(milliseconds / 1_000);
  };
