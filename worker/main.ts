import { readFile } from 'node:fs/promises';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { pino } from 'pino';
import { loadServiceConfig } from '../src/config/config.ts';
import type { ServiceConfig } from '../src/config/config.ts';
import { enterProcess } from '../src/config/process-entry.ts';
import { joinSupervisor } from '../src/config/supervised.ts';
import { openDatabase } from '../src/db/database.ts';
import { buildWorkflowBundle } from './bundle.ts';
import { composeActivities } from './compose-activities.ts';
import { startSweeper } from './sweeper.ts';
import { temporalLogger } from './temporal-logger.ts';
import { workerOptions } from './worker-options.ts';
import { createTurnRepository } from '../src/db/turn-repository.ts';
import { createTemporalClient } from '../src/turns/temporal-client.ts';

/** Nobody waits for an answer here within 2 s; a busy event loop must not look like a dead database. */
const QUERY_TIMEOUT_MS = 4_000;

enterProcess('orion-worker', loadServiceConfig, run);

/** Composition root of the worker process: workflows, activities and the sweeper, until it is told to stop. */
async function run(config: ServiceConfig): Promise<void> {
  const log = pino({ level: config.logLevel, base: { role: 'worker' } });
  // Signals are handled below: the runtime's own handler would stop the worker behind our back.
  Runtime.install({ shutdownSignals: [], logger: temporalLogger(log) });
  const { temporal } = config;
  const bundle = await workflowBundle(config.worker.workflowBundle);
  const connection = await NativeConnection.connect(temporal.connection ?? {});
  const signalling = createTemporalClient(temporal.connection ?? {}, temporal.namespace);
  const database = openDatabase(config.databaseUrl, {
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    onConnectionLost: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  const { activities, close } = await composeActivities({
    config,
    db: database.db,
    client: signalling.client,
    log,
  });
  const worker = await Worker.create(
    workerOptions(connection, bundle, activities, { ...temporal, ...config.worker }),
  );
  const stopSweeper = startSweeper({
    client: signalling.client,
    turns: createTurnRepository(database.db),
    taskQueue: temporal.taskQueue,
    log,
  });
  const stop = (): void => void (worker.getState() === 'RUNNING' && worker.shutdown());
  const ready = joinSupervisor(stop);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  const running = worker.run();
  ready();
  await running;
  stopSweeper();
  await close();
  await Promise.all([signalling.connection.close(), connection.close(), database.close()]);
}

const workflowBundle = async (path: string | undefined): Promise<WorkflowBundleOption> =>
  path === undefined ? buildWorkflowBundle() : { code: await readFile(path, 'utf8') };
