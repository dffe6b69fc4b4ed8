import { readFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { Worker, type WorkflowBundleOption, NativeConnection } from '@temporalio/worker';
import type { ServiceConfig } from '../src/config/config.ts';
import { loadServiceConfig } from '../src/config/load-config.ts';
import { ensureFolders } from '../src/process/folders.ts';
import { enterProcess } from '../src/process/process-entry.ts';
import { joinSupervisor } from '../src/process/supervised.ts';
import { createProcessLog } from '../src/process/process-log.ts';
import { openDatabase } from '../src/db/connection/database.ts';
import { buildWorkflowBundle } from './bundle.ts';
import { composeActivities } from './compose-activities.ts';
import { installRuntime } from './install-runtime.ts';
import { ensureRetentionSchedule } from './retention-schedule.ts';
import { openModel } from './open-model.ts';
import { startSweeper } from './sweeper.ts';
import { sweepsOf } from './swept-rows.ts';
import { workerOptions } from './worker-options.ts';
import { createHasSearchAttributes } from '../src/temporal/search-attributes.ts';
import { createTemporalClient } from '../src/temporal/temporal-client.ts';
import type { Log } from '../src/base/log.ts';
import { StartError } from '../src/base/errors/start-error.ts';
import { joinWorkers, type WatchedWorker } from '../src/worker-watch/worker-watch.ts';
import type { TemporalSettings } from '../src/config/temporal-connection.ts';

/** Connects this worker to Temporal. Throws StartError if that fails, most often because no server answers. */
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

/**
 * Longest time in milliseconds of a statement. It is longer than at a gateway, where a client waits for the response,
 * because a busy event loop must not look like a dead database.
 */
const QUERY_TIMEOUT_MS = 4_000;
/**
 * The pool for traces, whose statements are small beside those of the turns. A statement that takes more than a second,
 * for example because it waits for a lock, is given up and tried again.
 */
const TRACE_POOL = { maxConnections: 2, queryTimeoutMs: 1_000 };

/**
 * Runs workflows, activities and the sweeper until it is asked to stop. This is the composition root of the worker
 * process.
 */
const run = async (config: ServiceConfig, env: NodeJS.ProcessEnv): Promise<void> => {
  const log = createProcessLog('worker', config.logLevel);
  const metrics = installRuntime(log, config.metrics);
  ensureFolders(config);
  const { temporal } = config;
  const bundle = await loadWorkflowBundle(config.worker.workflowBundle);
  const connection = await connectWorker(temporal);
  const signalling = createTemporalClient(temporal.connection ?? {}, temporal.namespace);
  const { db, traceDb, closeDatabases } = openDatabases(config.databaseUrl, log);
  const watch = await watchUnlessNamed(config, signalling.client, log);
  const model = await openModel(config.model);
  const { activities, sinks, sessionDeps, stores, close } = await composeActivities({
    config: { ...config, model: model.options },
    db,
    traceDb,
    client: signalling.client,
    hasSearchAttributes: createHasSearchAttributes(signalling, (message) => log.warn(message)),
    metrics,
    env,
    log,
  });
  const worker = await Worker.create(
    workerOptions(connection, bundle, activities, { ...temporal, ...config.worker, ...watch }, sinks),
  );
  const countGivenUp = (): void => metrics.countNotification('given_up');
  const stopSweeper = startSweeper(sweepsOf({ ...sessionDeps, ...stores, countGivenUp }, log));
  // `shutdown` throws in every other state.
  const stop = (): void => void (worker.getState() === 'RUNNING' && worker.shutdown());
  const ready = joinSupervisor(stop);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  void ensureRetentionSchedule(signalling.client, temporal.taskQueue, log);
  const running = worker.run();
  ready();
  await running;
  stopSweeper();
  await close();
  model.close();
  await watch.stop();
  await Promise.all([signalling.connection.close(), connection.close(), closeDatabases()]);
};

/**
 * Joins the workers and gateways that watch each other. A process that was given an identity does not join: whatever
 * gave the identity, such as the supervisor, notices when the process ends.
 */
const watchUnlessNamed = async (
  { databaseUrl, temporal, worker: { identity } }: ServiceConfig,
  client: Client,
  log: Log,
): Promise<WatchedWorker> =>
  identity === undefined
    ? joinWorkers({ ...temporal, databaseUrl, client, log })
    : { identity, stop: () => Promise.resolve() };

const openDatabases = (url: string, log: Log) => {
  const onConnectionLost = (error: Error): void => log.warn({ err: error }, 'database connection lost');
  const database = openDatabase(url, { queryTimeoutMs: QUERY_TIMEOUT_MS, onConnectionLost });
  const traces = openDatabase(url, TRACE_POOL);
  const closeDatabases = () => Promise.all([database.close(), traces.close()]);
  return { db: database.db, traceDb: traces.db, closeDatabases };
};

const loadWorkflowBundle = async (path: string | undefined): Promise<WorkflowBundleOption> =>
  path === undefined ? buildWorkflowBundle() : { code: await readFile(path, 'utf8') };

enterProcess('orion-worker', loadServiceConfig, run);
