import { readFile } from 'node:fs/promises';
import { Worker, type WorkflowBundleOption, NativeConnection } from '@temporalio/worker';
import { loadServiceConfig, type ServiceConfig } from '../src/config/config.ts';
import { requireDirectory } from '../src/process/directories.ts';
import { enterProcess } from '../src/process/process-entry.ts';
import { joinSupervisor } from '../src/process/supervised.ts';
import { createProcessLog } from '../src/process/process-log.ts';
import { openDatabase } from '../src/db/database.ts';
import { buildWorkflowBundle } from './bundle.ts';
import { composeActivities } from './compose-activities.ts';
import { installRuntime } from './install-runtime.ts';
import { ensureRetentionSchedule } from './retention-schedule.ts';
import { startSweeper } from './sweeper.ts';
import { sweepsOf } from './swept-rows.ts';
import { workerOptions } from './worker-options.ts';
import { createTurnRepository } from '../src/db/turn-repository.ts';
import { createHasSearchAttributes } from '../src/temporal/search-attributes.ts';
import { createTemporalClient } from '../src/temporal/temporal-client.ts';
import { StartError } from '../src/base/start-error.ts';
import type { TemporalSettings } from '../src/config/temporal-connection.ts';

/** Connects this worker with Temporal. Throws StartError when nobody answers, after some seconds of trying. */
const connectWorker = async ({
  address,
  connection,
}: Pick<TemporalSettings, 'address' | 'connection'>): Promise<NativeConnection> => {
  try {
    return await NativeConnection.connect(connection ?? {});
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new StartError(`TEMPORAL_ADDRESS: no Temporal server answers at ${address} (${reason})`, { cause });
  }
};

/** Nobody waits for an answer here within 2 s; a busy event loop must not look like a dead database. */
const QUERY_TIMEOUT_MS = 4_000;
/** Small statements, beside the turns; one that waits for a lock is given up before its activity wants to end. */
const TRACE_POOL = { maxConnections: 2, queryTimeoutMs: 1_000 };

enterProcess('orion-worker', loadServiceConfig, run);

/** Composition root of the worker process: workflows, activities and the sweeper, until it is told to stop. */
async function run(config: ServiceConfig): Promise<void> {
  const log = createProcessLog('worker', config.logLevel);
  process.umask(config.umask);
  const metrics = installRuntime(log, config.metrics);
  requireDirectory('ORION_DATA_DIR', config.dataDir, 'write');
  requireDirectory('ORION_WORKSPACE', config.workspace);
  const { temporal } = config;
  const bundle = await workflowBundle(config.worker.workflowBundle);
  const connection = await connectWorker(temporal);
  const signalling = createTemporalClient(temporal.connection ?? {}, temporal.namespace);
  const database = openDatabase(config.databaseUrl, {
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    onConnectionLost: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  const traces = openDatabase(config.databaseUrl, TRACE_POOL);
  const { activities, sessions, close } = await composeActivities({
    config,
    db: database.db,
    traceDb: traces.db,
    client: signalling.client,
    hasSearchAttributes: createHasSearchAttributes(signalling, (message) => log.warn(message)),
    metrics,
    log,
  });
  const worker = await Worker.create(
    workerOptions(connection, bundle, activities, { ...temporal, ...config.worker }),
  );
  const stopSweeper = startSweeper(sweepsOf({ ...sessions, turns: createTurnRepository(database.db) }, log));
  const stop = (): void => void (worker.getState() === 'RUNNING' && worker.shutdown());
  const ready = joinSupervisor(stop);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  void ensureRetentionSchedule(signalling.client, temporal.taskQueue, log);
  const running = worker.run();
  ready();
  await running;
  stopSweeper();
  await close();
  await Promise.all([signalling.connection.close(), connection.close(), database.close(), traces.close()]);
}

const workflowBundle = async (path: string | undefined): Promise<WorkflowBundleOption> =>
  path === undefined ? buildWorkflowBundle() : { code: await readFile(path, 'utf8') };
