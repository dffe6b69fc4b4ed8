import { openKeyring, type Keyring, type KeyringLog } from '../access/key-file.ts';
import type { GatewayConfig } from '../config/config.ts';
import { loadGatewayConfig } from '../config/load-config.ts';
import { ensureFolders } from '../process/folders.ts';
import { enterProcess } from '../process/process-entry.ts';
import { joinSupervisor } from '../process/supervised.ts';
import { openDatabase } from '../db/connection/database.ts';
import { systemClock } from '../base/timing/clock.ts';
import type { Log } from '../base/log.ts';
import { migrateAtStart } from '../db/migrations/migrate-at-start.ts';
import { createTemporalClient, type TemporalClient } from '../temporal/temporal-client.ts';
import { createProcessLog } from '../process/process-log.ts';
import { watchWorkers, type WorkerWatch } from '../worker-watch/worker-watch.ts';
import { createApp } from './app.ts';
import { composeGateway } from './compose/compose-gateway.ts';
import { CONNECTION_LIMITS, connectionsThatFit } from './connections/connection-limits.ts';
import { Connections } from './connections/connections.ts';
import { listenHttp } from './connections/http-server.ts';
import { openSessionFiles } from './compose/compose-write-sessions.ts';

/**
 * Milliseconds to wait at the end for responses that are being written. Streams do not wait: they end at once, since
 * their clients resume elsewhere.
 */
const CLOSE_GRACE_MS = 3_000;
/**
 * Milliseconds after which closing counts as hung. It is less than the 10 s after which Docker kills a container that
 * was asked to stop, so that the log says first that closing hangs. A supervisor kills earlier, after `STOP_GRACE_MS`.
 */
const WATCHDOG_MS = 8_000;

/** Serves HTTP until it is asked to stop. This is the composition root of the gateway process. */
const run = async (config: GatewayConfig): Promise<void> => {
  const log = createProcessLog('gateway', config.logLevel);
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const closing = new AbortController();
  const reportReady = joinSupervisor(stop);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop());

  ensureFolders(config);
  const keys = openKeys(config, log);
  const database = openDatabase(config.databaseUrl, {
    onConnectionLost: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  await migrateAtStart(database.db);
  const temporal = createTemporalClient(config.temporal.connection ?? {}, config.temporal.namespace);
  const files = await openSessionFiles(config);
  const server = await listenHttp(config.http.host, config.http.port, openConnections(config, log));
  const { deps, hub } = composeGateway({
    ...server,
    config,
    db: database.db,
    temporal,
    log,
    keys,
    files,
    closing: closing.signal,
  });
  const watch = watchUnlessSupervised(config, temporal, log);
  server.serve(createApp(deps));
  reportReady(server.port);
  log.info({ port: server.port }, 'gateway is listening');

  await stopped;
  watchClosing(() => log.error('gateway did not close in time'));
  // Streams end before the server closes, so that their clients resume elsewhere and only short responses are waited
  // for.
  closing.abort();
  hub.close();
  await server.close(CLOSE_GRACE_MS);
  await files.workspace.close();
  await watch?.stop();
  await temporal.connection.close();
  await database.close();
  keys?.close();
};

/**
 * Makes this gateway look for lost workers, as workers look for each other. Returns undefined under `npm start`, where
 * the supervisor sees workers end.
 */
const watchUnlessSupervised = (
  { databaseUrl, temporal, worker }: GatewayConfig,
  { client }: Pick<TemporalClient, 'client'>,
  log: Log,
): WorkerWatch | undefined =>
  worker.isSupervised ? undefined : watchWorkers({ ...temporal, databaseUrl, client, log });

const openConnections = ({ http }: GatewayConfig, log: Pick<Log, 'warn'>): Connections =>
  new Connections({ ...CONNECTION_LIMITS, max: connectionsThatFit(http.maxConnections) }, systemClock, log);

/**
 * Opens the file of API keys. Returns undefined if none is configured. A key that is added later may be bound to
 * projects only if project folders were on, or their setting was given, when this gateway started: workers, which do
 * not read the file, could otherwise let such keys open each other's files.
 */
const openKeys = (config: GatewayConfig, log: KeyringLog): Keyring | undefined => {
  const { apiKeysFile: path, hasProjectFolders, isProjectFoldersSet, model } = config;
  const { unpriced: unpricedModels } = model;
  return path === undefined
    ? undefined
    : openKeyring({ path, log, allowsBoundKeys: hasProjectFolders || isProjectFoldersSet, unpricedModels });
};

/** Ends the process with exit code 1 if closing hangs. The timer does not keep the process alive. */
const watchClosing = (report: () => void): void => {
  const giveUp = (): void => {
    report();
    process.exit(1);
  };
  setTimeout(giveUp, WATCHDOG_MS).unref();
};

enterProcess('orion-gateway', loadGatewayConfig, run);
